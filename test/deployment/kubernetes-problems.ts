import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ts from 'typescript';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
}

/** The module of `kubernetes-types` with the kinds of an API version: "core/v1" for "v1", "policy/v1" for "policy/v1". */
const moduleOf = (apiVersion: string): string =>
  apiVersion === 'v1' ? 'core/v1' : apiVersion.replace(/\.k8s\.io\//, '/').replace(/^rbac\.authorization\//, 'rbac/');

/**
 * Returns the fields of manifests that Kubernetes does not have or that have a wrong type. The compiler finds them: it
 * compares each manifest, written as a literal, with the types of Kubernetes' own API description.
 */
export function kubernetesProblems(manifests: readonly Manifest[]): readonly string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'shipgate-manifests-'));
  try {
    const files = manifests.map((manifest, index) => {
      const file = path.join(folder, `${index}.ts`);
      const type = `import('kubernetes-types/${moduleOf(manifest.apiVersion)}').${manifest.kind}`;
      writeFileSync(file, `export const manifest: ${type} = ${JSON.stringify(manifest, null, 2)};\n`);
      return file;
    });
    const program = ts.createProgram(files, {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
      lib: ['lib.es5.d.ts'],
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      paths: { 'kubernetes-types/*': [path.resolve('node_modules/kubernetes-types/*')] },
    });
    return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
      const { kind, metadata } = manifests[files.indexOf(file?.fileName ?? '')] ?? {
        kind: 'a manifest',
        metadata: null,
      };
      return `${kind} ${metadata?.name ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

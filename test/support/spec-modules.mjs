import { statSync } from 'node:fs';
import { register } from 'node:module';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SourceTextModule, SyntheticModule } from 'node:vm';

/** What Jest asks its transformers for on behalf of ES modules. */
const AS_MODULE = {
  isInternalModule: false,
  supportsDynamicImport: true,
  supportsExportNamespaceFrom: true,
  supportsStaticESM: true,
  supportsTopLevelAwait: true,
};

/** What Node loads with help alone: it slows down whatever is loaded after it, and so is given to no other package. */
const IMPORTS_JSON = new Set(['@actions/workflow-parser']);

/** Packages and parts of Node by specifier, each loaded once for all files of the worker. */
const packages = new Map();

/** Our sources as they run, by path: none is read, transformed or compiled twice in a worker, unless it changes. */
const transformed = new Map();

const IMPORTS_LATER = /\bimport\(/;

/** Sources that a worker loads once as well: they compile GitHub's descriptions, import nothing else, and keep nothing else. */
const SHARED = /\/test\/(?:github-sim\/openapi\/[\w-]+|support\/github-contract)\.ts$/;
const shared = new Map();

/** The modules of one file of tests: our own sources anew, with the packages that they import as the worker has them. */
export class SpecModules {
  sources = new Map();
  runs = new Map();

  constructor(runtime, testPath) {
    this.runtime = runtime;
    this.testPath = testPath;
  }

  /** Runs a source with all that it imports; a second time answers what the first did. */
  run(path) {
    const run = this.runs.get(path) ?? this.linkAndRun(this.source(path));
    this.runs.set(path, run);
    return run;
  }

  async linkAndRun(module) {
    try {
      if (module.status === 'unlinked') {
        await module.link((specifier, { identifier }) => this.imported(specifier, identifier));
      }
      await module.evaluate();
      return module;
    } catch (error) {
      // What was linked halfway is of no use to the next file.
      shared.clear();
      throw error;
    }
  }

  imported(specifier, importer) {
    if (specifier === '@jest/globals') return this.jestGlobals();
    return specifier.startsWith('.') ? this.source(pathOf(specifier, importer)) : packageModule(specifier);
  }

  async importedDynamically(specifier, importer) {
    return specifier.startsWith('.') ? this.run(pathOf(specifier, importer)) : this.imported(specifier, importer);
  }

  /** `describe`, `expect` and the others of this file. */
  async jestGlobals() {
    const name = '@jest/globals';
    this.globals ??= await moduleOf(name, this.runtime.requireModuleOrMock(this.testPath, name));
    return this.globals;
  }

  source(path) {
    const sources = SHARED.test(path) ? shared : this.sources;
    const known = sources.get(path);
    if (known) return known;
    const text = this.text(path);
    const module = new SourceTextModule(text.code, {
      identifier: path,
      ...(text.compiled && { cachedData: text.compiled }),
      initializeImportMeta: (meta) => {
        meta.url = pathToFileURL(path).href;
      },
      importModuleDynamically: (specifier) => this.importedDynamically(specifier, path),
    });
    // What was compiled before would import by the callback of the file for which it was, which is gone.
    if (!IMPORTS_LATER.test(text.code)) text.compiled ??= module.createCachedData();
    sources.set(path, module);
    return module;
  }

  text(path) {
    const { mtimeMs } = statSync(path);
    const maps = this.runtime.getSourceMaps();
    const known = transformed.get(path);
    if (known?.mtimeMs === mtimeMs) {
      if (known.map !== undefined) maps.set(path, known.map);
      return known;
    }
    const code = this.runtime.transformCache.transform(path, AS_MODULE);
    const text = { mtimeMs, code, map: maps.get(path), compiled: undefined };
    transformed.set(path, text);
    return text;
  }
}

/** An import of `./x.js` means `./x.ts`, as it does for the compiler. */
const pathOf = (specifier, importer) => resolve(dirname(importer), specifier).replace(/\.js$/, '.ts');

function packageModule(specifier) {
  const module = packages.get(specifier) ?? loadPackage(specifier);
  packages.set(specifier, module);
  return module;
}

async function loadPackage(specifier) {
  if (IMPORTS_JSON.has(specifier)) register('./json-hooks.mjs', import.meta.url);
  return moduleOf(specifier, await import(specifier));
}

async function moduleOf(identifier, exports) {
  const names = Object.keys(exports);
  const module = new SyntheticModule(names, () => names.forEach((name) => module.setExport(name, exports[name])), {
    identifier,
  });
  await module.link(() => undefined);
  await module.evaluate();
  return module;
}

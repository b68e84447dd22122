import { readFileSync, statSync } from 'node:fs';
import { register } from 'node:module';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SourceTextModule, SyntheticModule } from 'node:vm';

/** The options of Jest's transformer for an ES module. */
const AS_MODULE = {
  collectCoverage: false,
  collectCoverageFrom: [],
  coverageProvider: 'v8',
  isInternalModule: false,
  supportsDynamicImport: true,
  supportsExportNamespaceFrom: true,
  supportsStaticESM: true,
  supportsTopLevelAwait: true,
};

/**
 * Packages that Node loads only with module hooks. The hooks slow down all later imports, so other packages do not use
 * them.
 */
const IMPORTS_JSON = new Set(['@actions/workflow-parser']);

/** Packages and modules of Node by specifier. A worker loads each one once. */
const packages = new Map();

/** Transformed sources by path. A worker reads, transforms and compiles each one once, unless it changes. */
const transformed = new Map();

const IMPORTS_LATER = /\bimport\(/;

/**
 * Sources that a worker also loads only once. They compile GitHub's descriptions, import nothing else, and have no
 * other state.
 */
const SHARED = /\/test\/(?:github-sim\/openapi\/[\w-]+|support\/github-contract)\.ts$/;
const shared = new Map();

/** The modules of one test file. Our own sources are loaded again for each file. Packages are shared by the worker. */
export class SpecModules {
  sources = new Map();
  runs = new Map();
  /** The end of the links so far. */
  links = Promise.resolve();

  constructor(runtime, transformer, testPath) {
    this.runtime = runtime;
    this.transformer = transformer;
    this.testPath = testPath;
  }

  /** Runs a source with all of its imports. Returns the same promise for the same path. */
  run(path) {
    const run = this.runs.get(path) ?? this.linkAndRun(this.source(path));
    this.runs.set(path, run);
    return run;
  }

  async linkAndRun(module) {
    try {
      await this.link(module);
      await module.evaluate();
      return module;
    } catch (error) {
      // The next file cannot use modules that are linked only in part.
      shared.clear();
      throw error;
    }
  }

  /**
   * Links one graph after the other. Two dynamic imports at once may share a source. Node does not wait for a source that
   * another graph is still linking, and then fails with "request for ... is not in cache".
   */
  link(module) {
    const link = this.linkAfter(this.links, module);
    this.links = link.catch(() => undefined);
    return link;
  }

  async linkAfter(before, module) {
    await before;
    if (module.status !== 'unlinked') return;
    await module.link((specifier, { identifier }) => this.imported(specifier, identifier));
  }

  imported(specifier, importer) {
    if (specifier === '@jest/globals') return this.jestGlobals();
    return specifier.startsWith('.') ? this.source(pathOf(specifier, importer)) : packageModule(specifier);
  }

  async importedDynamically(specifier, importer) {
    return specifier.startsWith('.') ? this.run(pathOf(specifier, importer)) : this.imported(specifier, importer);
  }

  /** `describe`, `expect` and the other globals of this test file. */
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
    // Compiled code keeps the import callback of its first file, which no longer exists. So code with dynamic imports
    // is compiled again.
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
    const { code, sourceMapPath } = this.transformer.transform(path, AS_MODULE, readFileSync(path, 'utf8'));
    const text = { mtimeMs, code, map: sourceMapPath ?? undefined, compiled: undefined };
    if (text.map !== undefined) maps.set(path, text.map);
    transformed.set(path, text);
    return text;
  }
}

/** An import of `./x.js` means `./x.ts`, as for the compiler. */
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

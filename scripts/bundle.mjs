// Bundles the command line and the actions, each into one CommonJS file without dependencies. ES modules would load every command at the
// start.
//
//   node scripts/bundle.mjs           writes all bundles; those of the actions are committed
//   node scripts/bundle.mjs FILE      writes only the command line, to FILE
//   node scripts/bundle.mjs --check   fails if a committed bundle differs from its sources
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileFunction } from 'node:vm';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

const MODULE_URL = "const moduleUrl = require('node:url').pathToFileURL(__filename).href;";
const COMMAND_LINE = {
  entry: 'src/client/main.ts',
  file: 'dist/cli/shipgate.cjs',
  head: '#!/usr/bin/env node',
};
const ACTIONS = ['upload', 'gate'].map((name) => ({
  entry: `src/client/action/${name}.ts`,
  file: `action/dist/${name}.cjs`,
  head: `// Written by scripts/bundle.mjs from src/client/action/${name}.ts.`,
}));

const VALIDATOR = 'src/policy-document/policy-validator.ts';

/** Returns a module with the validator of policies as code, without the compiler of schemas. */
async function compiledValidator() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [VALIDATOR],
    write: false,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    logLevel: 'warning',
  });
  const module = { exports: {} };
  const run = compileFunction(outputFiles[0].text, ['module', 'require']);
  run(module, createRequire(path.join(root, VALIDATOR)));
  const code = standaloneCode.default(
    new Ajv2020({ code: { source: true, esm: true } }),
    module.exports.validatePolicy,
  );
  return [
    "import { isCalendarDay } from '../domain/policy/freeze.ts';",
    'const policyFormats = { date: isCalendarDay };',
    code,
    'export { validate as validatePolicy };',
  ].join('\n');
}

/** Replaces the validator by compiled code, so that a CI job compiles no schema. */
const COMPILED_VALIDATOR = {
  name: 'compiled validator',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[/\\]policy-validator\.ts$/ }, async () => ({
      contents: await compiledValidator(),
      loader: 'js',
      resolveDir: path.join(root, path.dirname(VALIDATOR)),
    })),
};

/**
 * Loads only the part of undici that sends requests. The index of undici also loads `fetch`, caches, WebSockets and mocks, which are most
 * of undici and which the command line does not need.
 */
const SENDING_PART_OF_UNDICI = {
  name: 'sending part of undici',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace: 'sending' }));
    onLoad({ filter: /.*/, namespace: 'sending' }, () => ({
      contents: `Object.assign(require('undici/lib/dispatcher/dispatcher.js').prototype, require('undici/lib/api/index.js'));
        exports.EnvHttpProxyAgent = require('undici/lib/dispatcher/env-http-proxy-agent.js');`,
      loader: 'js',
      resolveDir: root,
    }));
  },
};

/** No action has a dry run, which would add the readers of reports to its bundle. */
const WITHOUT_DRY_RUN = {
  name: 'without dry run',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[/\\]client[/\\]upload[/\\]dry-run\.ts$/ }, () => ({
      contents: "throw new Error('An action has no dry run.');",
      loader: 'js',
    })),
};

const bundle = ({ entry, file, head, plugins = [] }) =>
  build({
    metafile: true,
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: file,
    write: false,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.19',
    // The code stays readable in a CI job, and starts as fast.
    minify: false,
    // The bundle contains the paths of its files, which must not depend on the targets of linked packages.
    preserveSymlinks: true,
    legalComments: 'inline',
    charset: 'utf8',
    define: { SHIPGATE_VERSION: JSON.stringify(version), 'import.meta.url': 'moduleUrl' },
    plugins: [COMPILED_VALIDATOR, SENDING_PART_OF_UNDICI, ...plugins],
    banner: { js: `${head}\n${MODULE_URL}` },
    logLevel: 'warning',
  });

const LICENSES = 'action/dist/LICENSES.txt';

/** Returns the licenses of the packages in the bundles. Copies of their code must include them. */
function collectLicenses(results) {
  const inputs = results.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const names = inputs.map((input) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]).filter(Boolean);
  const texts = [...new Set(names)]
    .toSorted((left, right) => left.localeCompare(right, 'en'))
    .map((name) => {
      const folder = path.join(root, 'node_modules', name);
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      // A package that names its license and has no file of it.
      const license = file === undefined ? path.join(root, `scripts/licenses/${name}.txt`) : path.join(folder, file);
      if (!existsSync(license)) throw new Error(`${name} has no license file.`);
      return `${name}\n\n${readFileSync(license, 'utf8').trim()}\n`;
    });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

/** Returns the files that are committed, built from their sources. */
async function committedFiles() {
  const results = await Promise.all(ACTIONS.map((action) => bundle({ ...action, plugins: [WITHOUT_DRY_RUN] })));
  const bundles = results.map(({ outputFiles }, index) => ({
    file: ACTIONS[index].file,
    content: outputFiles[0].contents,
  }));
  return [...bundles, { file: LICENSES, content: Buffer.from(collectLicenses(results)) }];
}

/** Writes the command line as one file. It ends with the licenses of its packages, so that users may redistribute it. */
async function writeCommandLine(file) {
  const result = await bundle(COMMAND_LINE);
  const compiler = Object.keys(result.metafile.inputs).find((input) =>
    input.includes('node_modules/ajv/dist/compile/'),
  );
  if (compiler !== undefined) throw new Error(`The command line contains the compiler of schemas: ${compiler}.`);
  const licenses = collectLicenses([result]).trimEnd().replaceAll(/^/gm, '// ').replaceAll(/ +$/gm, '');
  const target = path.resolve(root, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(
    target,
    `${result.outputFiles[0].text}\n// The licenses of the packages in this file:\n//\n${licenses}\n`,
  );
  chmodSync(target, 0o755);
}

const isCurrent = (file, content) => existsSync(file) && readFileSync(file).equals(content);

const [argument] = process.argv.slice(2);
if (argument === '--check') {
  for (const { file, content } of await committedFiles()) {
    if (isCurrent(path.join(root, file), content)) continue;
    console.error(`${file} is not up to date with its sources. Run \`node scripts/bundle.mjs\` and commit it.`);
    process.exitCode = 1;
  }
} else {
  await writeCommandLine(argument ?? COMMAND_LINE.file);
  if (argument === undefined) {
    mkdirSync(path.join(root, path.dirname(LICENSES)), { recursive: true });
    for (const { file, content } of await committedFiles()) writeFileSync(path.join(root, file), content);
  }
}

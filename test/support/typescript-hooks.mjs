import { transformFileSync } from '@swc/core';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Node's module hooks (https://nodejs.org/docs/latest-v20.x/api/module.html#hooks), with which Node runs our sources
// without a build. Jest transforms only tests, not its global set-up and not the processes that a test starts.

const jsc = {
  target: 'es2022',
  keepClassNames: true,
  parser: { syntax: 'typescript', decorators: true },
  transform: { legacyDecorator: true, decoratorMetadata: true },
};

/** An import of `./x.js` means `./x.ts` if only that exists, as for the compiler. */
export async function resolve(specifier, context, next) {
  if (/^\.{1,2}\/.*\.js$/.test(specifier)) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(source)) return next(source.href, context);
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const { code } = transformFileSync(fileURLToPath(url), {
    swcrc: false,
    sourceMaps: 'inline',
    jsc,
    module: { type: 'es6' },
  });
  return { format: 'module', source: code, shortCircuit: true };
}

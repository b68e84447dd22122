import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Package {
  readonly version: string;
  readonly engines: { readonly node: string };
}

const { version, engines } = readPackage(dirname(fileURLToPath(import.meta.url)));

/** The version of this build, from package.json. */
export const SERVICE_VERSION: string = version;

/** The versions of Node on which this build runs, as a semver range. */
export const SUPPORTED_NODE: string = engines.node;

/** The package is in a folder above this file, both in the sources and in the build. */
function readPackage(folder: string): Package {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return readPackage(dirname(folder));
  return JSON.parse(readFileSync(file, 'utf8')) as Package;
}

/** The commit of this build, which the build writes beside it. */
export const SERVICE_COMMIT: string = readCommit();

function readCommit(): string {
  try {
    return readFileSync(new URL('commit', import.meta.url), 'utf8').trim();
  } catch {
    return 'unknown';
  }
}

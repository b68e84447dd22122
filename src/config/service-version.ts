import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The version of this build, from package.json. */
export const SERVICE_VERSION: string = readVersion(dirname(fileURLToPath(import.meta.url)));

/** The package is in a folder above this file, both in the sources and in the build. */
function readVersion(folder: string): string {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return readVersion(dirname(folder));
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}

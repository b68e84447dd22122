import { readFileSync } from 'node:fs';

/** The name of a script of the built dashboard, which contains a hash. */
export function findDashboardAsset(): string {
  const shell = readFileSync(new URL('../../dist/web/index.html', import.meta.url), 'utf8');
  const name = /src="\/assets\/(?<name>[\w-]+\.js)"/.exec(shell)?.groups?.['name'];
  if (name === undefined) throw new Error('The dashboard is not built.');
  return name;
}

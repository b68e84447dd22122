// Deletes files of node_modules that the running service does not read: source maps, TypeScript, documents, tests, builds for browsers,
// and the compiler, which npm installs as an optional peer. Licenses stay. `npm run test:image` imports every package of the service from
// the result.
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

const FILE = /\.(?:map|flow|[cm]?ts|md|markdown)$/;
const LICENSE = /^(?:licen[cs]e|notice|copying)/i;
const FOLDER = /(?:^|\/)(?:test|tests|__tests__)$/;
const NEEDLESS = new Set(['.bin', 'typescript', 'echarts/dist', 'exceljs/dist', 'typeorm/browser']);

function trim(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      const inPackages = path.relative('node_modules', place);
      if (FOLDER.test(inPackages) || NEEDLESS.has(inPackages)) rmSync(place, { recursive: true });
      else trim(place);
    } else if (FILE.test(entry.name) && !LICENSE.test(entry.name)) rmSync(place);
  }
}
trim('node_modules');

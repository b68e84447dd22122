import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { Injectable } from '@nestjs/common';
import { SharedDocument } from '../../../http/shared-document.js';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

/** The folder of the built dashboard: beside this code if it is built too, else in the output folder. Its source has no manifest. */
const FOLDER = ['../../../../web/', '../../../../dist/web/']
  .map((path) => new URL(path, import.meta.url))
  .find((folder) => existsSync(new URL('.vite/manifest.json', folder)));

/** A file of the dashboard. Its name contains a hash of its content. */
export interface DashboardFile {
  readonly type: string;
  readonly document: SharedDocument;
}

/** The built files of the dashboard, which are read once at the start. No other file can be requested. */
@Injectable()
export class DashboardFiles {
  /** The page that starts the dashboard. Null if the dashboard was not built. */
  readonly shell: SharedDocument | null = null;
  readonly #assets = new Map<string, DashboardFile>();

  constructor() {
    if (FOLDER === undefined) return;
    this.shell = new SharedDocument(readFileSync(new URL('index.html', FOLDER), 'utf8'));
    const assets = new URL('assets/', FOLDER);
    for (const name of readdirSync(assets)) {
      const type = TYPES[extname(name)];
      if (type === undefined) throw new Error(`The dashboard has a file of an unknown type: ${name}.`);
      this.#assets.set(name, { type, document: new SharedDocument(readFileSync(new URL(name, assets), 'utf8')) });
    }
  }

  findAsset(name: string): DashboardFile | null {
    return this.#assets.get(name) ?? null;
  }
}

import { readFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { SharedDocument } from '../../../http/shared-document.js';
import { ICON } from './icon.js';
import { STYLE } from './page-style.js';

/** A file that the pages load. */
export interface PageAsset {
  readonly type: string;
  readonly document: SharedDocument;
}

const assetOf = (type: string, content: string): PageAsset => ({ type, document: new SharedDocument(content) });

/** The scripts, by their names in addresses: the browser's modules import each other by these. */
const SCRIPTS: Readonly<Record<string, URL>> = {
  'front-page.js': new URL('./browser/front-page.js', import.meta.url),
  'invite-page.js': new URL('./browser/invite-page.js', import.meta.url),
  'dom.js': new URL('./browser/dom.js', import.meta.url),
  'api.js': new URL('./browser/api.js', import.meta.url),
  'workspace-overview.js': new URL('./browser/workspace-overview.js', import.meta.url),
  'workspace-picker.js': new URL('./browser/workspace-picker.js', import.meta.url),
};

/** Development tools would look for a map that is not served. */
const SOURCE_MAP = /^\/\/# sourceMappingURL=.*$/m;

/** What the pages load, by name: nothing is looked up that is not listed here. */
@Injectable()
export class PageAssets {
  private readonly read = new Map<string, PageAsset>([
    ['shipgate.css', assetOf('text/css; charset=utf-8', STYLE)],
    ['shipgate.svg', assetOf('image/svg+xml; charset=utf-8', ICON)],
  ]);

  /** Null where there is no such file. */
  find(name: string): PageAsset | null {
    const known = this.read.get(name);
    if (known) return known;
    const source = Object.hasOwn(SCRIPTS, name) ? SCRIPTS[name] : undefined;
    if (source === undefined) return null;
    const asset = assetOf('text/javascript; charset=utf-8', readFileSync(source, 'utf8').replace(SOURCE_MAP, ''));
    this.read.set(name, asset);
    return asset;
  }
}

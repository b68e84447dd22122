import { readFileSync } from 'node:fs';
import { Inject, Injectable } from '@nestjs/common';
import { AppCredentialsProvider } from '../../../config/app-credentials.js';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { SharedDocument } from '../../../http/shared-document.js';
import { STYLE } from './page-style.js';
import { homePage, ICON, INVITE_PAGE, SETUP_PAGE, SIGNED_OUT_INVITE_PAGE, welcomePage } from './page-templates.js';

/** Where github.com keeps the pictures of its accounts. */
const GITHUB_AVATARS = 'https://avatars.githubusercontent.com';

/**
 * Returns what pages may do: run their own scripts, use their own styles, request the service, and show the pictures of accounts. A GitHub
 * Enterprise Server serves those at its own address, or below it where subdomains are isolated. The styles of Primer contain icons as
 * `data:` images. With Trusted Types no script can turn text into markup.
 */
export function pageSecurityPolicy(githubUrl: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: ${avatarSources(new URL(githubUrl)).join(' ')}`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

function avatarSources({ protocol, host, origin }: URL): readonly string[] {
  return host === 'github.com' ? [GITHUB_AVATARS] : [origin, `${protocol}//avatars.${host}`];
}

/** The notices by the name in the query. */
const NOTICES: Readonly<Record<string, string>> = {
  installation_requested: 'GitHub sent your request to the owners of the organization.',
};

/** A page with its content security policy. */
export interface RenderedPage {
  readonly html: string;
  readonly securityPolicy: string;
}

/** Selects the page. Its script loads the data of the user from the API. */
@Injectable()
export class PagesService {
  readonly #securityPolicy: string;

  constructor(
    private readonly credentials: AppCredentialsProvider,
    @Inject(ENVIRONMENT) { githubUrl }: Environment,
  ) {
    this.#securityPolicy = pageSecurityPolicy(githubUrl);
  }

  /** Returns the front page. Without a session it needs no script. */
  front(hasSession: boolean, noticeName: unknown): RenderedPage {
    if (this.credentials.current() === null) return this.page(SETUP_PAGE);
    const notice = noticeNamed(noticeName);
    return this.page(hasSession ? homePage(notice) : welcomePage(notice));
  }

  invite(hasSession: boolean): RenderedPage {
    return this.page(hasSession ? INVITE_PAGE : SIGNED_OUT_INVITE_PAGE);
  }

  private page(html: string): RenderedPage {
    return { html, securityPolicy: this.#securityPolicy };
  }
}

/** Returns the notice of this name, or null. No text of the URL is ever displayed. */
const noticeNamed = (name: unknown): string | null =>
  typeof name === 'string' && Object.hasOwn(NOTICES, name) ? (NOTICES[name] ?? null) : null;

/** A file that the pages load. */
export interface PageAsset {
  readonly type: string;
  readonly document: SharedDocument;
}

const assetOf = (type: string, content: string): PageAsset => ({ type, document: new SharedDocument(content) });

/** The scripts by their file name in URLs, by which they also import each other. */
const SCRIPTS: Readonly<Record<string, URL>> = {
  'front-page.js': new URL('./browser/front-page.js', import.meta.url),
  'invite-page.js': new URL('./browser/invite-page.js', import.meta.url),
  'dom.js': new URL('./browser/dom.js', import.meta.url),
  'api.js': new URL('./browser/api.js', import.meta.url),
  'workspace-overview.js': new URL('./browser/workspace-overview.js', import.meta.url),
  'workspace-picker.js': new URL('./browser/workspace-picker.js', import.meta.url),
};

/** Removed, because source maps are not served. */
const SOURCE_MAP = /^\/\/# sourceMappingURL=.*$/m;

/** The files of the pages by name. No other file can be read. */
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

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
 * What the pages may do: run their own scripts, wear their own style, ask the service, and show the pictures of accounts.
 * A GitHub Enterprise Server keeps those at its own address, or below it where subdomains are isolated.
 */
export function pageSecurityPolicy(githubUrl: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' ${avatarSources(new URL(githubUrl)).join(' ')}`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function avatarSources({ protocol, host, origin }: URL): readonly string[] {
  return host === 'github.com' ? [GITHUB_AVATARS] : [origin, `${protocol}//avatars.${host}`];
}

/** The notices by the name in the query. */
const NOTICES: Readonly<Record<string, string>> = {
  installation_requested: 'GitHub sent your request to the owners of the organization.',
  code_rejected: 'GitHub rejected the code of this sign-in. Sign in again.',
  denied: 'You did not authorize the app. To try again, sign in.',
  expired: 'This sign-in was not started in this browser, is over, or took longer than 10 minutes. Sign in again.',
  failed: 'Something went wrong. Try again.',
  github_rejected: 'GitHub rejected the sign-in. Try again.',
  github_unavailable: 'GitHub does not answer now. Try again soon.',
  installation_not_found: 'None of your organizations has this installation of the app.',
  invalid: 'The address is not complete. Start again.',
  not_an_owner: 'Only an owner of the organization can connect it. Ask an owner to connect it, or for an invite.',
  owns_no_organization:
    'You own no organization on GitHub, and only an owner can connect one. Ask an owner to connect it, or for an invite.',
  personal_account: 'The app is installed in your own account. Install it in an organization.',
  rate_limited: 'There were too many requests. Try again in a minute.',
  unavailable: 'The service is not available now. Try again soon.',
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

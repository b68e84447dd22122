import { Inject, Injectable } from '@nestjs/common';
import { AppCredentialsSource } from '../../../config/app-credentials-source.js';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { homePage, SETUP_PAGE, welcomePage } from './front-pages.js';
import { INVITE_PAGE, SIGNED_OUT_INVITE_PAGE } from './invite-pages.js';
import { pageSecurityPolicy } from './page-security-policy.js';

/** What whoever sent the browser here has to say, by the name that they send along. */
const NOTICES: Readonly<Record<string, string>> = {
  installation_requested: 'Your request is with the owners of the organization: GitHub has told them.',
};

/** A page, and what it may do in a browser. */
export interface Page {
  readonly html: string;
  readonly securityPolicy: string;
}

/** Chooses the page; who somebody is and what they may see, its script asks the interface. */
@Injectable()
export class Pages {
  readonly #securityPolicy: string;

  constructor(
    private readonly credentials: AppCredentialsSource,
    @Inject(ENVIRONMENT) { githubUrl }: Environment,
  ) {
    this.#securityPolicy = pageSecurityPolicy(githubUrl);
  }

  /** Whoever brings no session is shown the way in at once, without a script. */
  front(hasSession: boolean, noticeName: unknown): Page {
    if (this.credentials.current() === null) return this.page(SETUP_PAGE);
    const notice = noticeNamed(noticeName);
    return this.page(hasSession ? homePage(notice) : welcomePage(notice));
  }

  invite(hasSession: boolean): Page {
    return this.page(hasSession ? INVITE_PAGE : SIGNED_OUT_INVITE_PAGE);
  }

  private page(html: string): Page {
    return { html, securityPolicy: this.#securityPolicy };
  }
}

/** What is not a name of ours says nothing: no text of an address is ever shown. */
const noticeNamed = (name: unknown): string | null =>
  typeof name === 'string' && Object.hasOwn(NOTICES, name) ? (NOTICES[name] ?? null) : null;

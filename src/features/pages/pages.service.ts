import { Inject, Injectable } from '@nestjs/common';
import { AppCredentialsSource } from '../../config/app-credentials-source.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { HOME_PAGE, SETUP_PAGE, WELCOME_PAGE } from './markup/front-pages.js';
import { INVITE_PAGE, SIGNED_OUT_INVITE_PAGE } from './markup/invite-pages.js';
import { pageSecurityPolicy } from './page-security-policy.js';

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
  front(hasSession: boolean): Page {
    if (this.credentials.current() === null) return this.page(SETUP_PAGE);
    return this.page(hasSession ? HOME_PAGE : WELCOME_PAGE);
  }

  invite(hasSession: boolean): Page {
    return this.page(hasSession ? INVITE_PAGE : SIGNED_OUT_INVITE_PAGE);
  }

  private page(html: string): Page {
    return { html, securityPolicy: this.#securityPolicy };
  }
}

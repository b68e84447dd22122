import { inspect } from 'node:util';

const SHOWN = '[a personal access token]';

/** A person's token for the code host, which shows itself in no log and no JSON: only the gateway takes it out. */
export class PersonalToken {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** For a request's header, and for whoever seals it. */
  reveal(): string {
    return this.#secret;
  }

  toString(): string {
    return SHOWN;
  }

  toJSON(): string {
    return SHOWN;
  }

  [inspect.custom](): string {
    return SHOWN;
  }
}

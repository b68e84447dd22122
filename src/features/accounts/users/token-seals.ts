import { Injectable, Logger } from '@nestjs/common';
import { SealError } from '../../../crypto/seal-error.js';
import { Sealer } from '../../../crypto/sealer.js';
import type { UserTokenPair } from '../../../github/api/oauth.js';
import type { SealedTokens } from './people.repository.js';

/** What takes the place of tokens that the host takes no more. */
export const NO_TOKENS: SealedTokens = { access: null, accessExpiresAt: null, refresh: null, refreshExpiresAt: null };

/** Seals a person's tokens, each so that it opens as that person's and for its own use alone. */
@Injectable()
export class TokenSeals {
  readonly #logger = new Logger(TokenSeals.name);

  constructor(private readonly sealer: Sealer) {}

  seal(person: number, { accessToken, accessExpiresAt, refreshToken, refreshExpiresAt }: UserTokenPair): SealedTokens {
    return {
      access: this.sealer.seal(accessToken, contextOf(person, 'access')),
      accessExpiresAt,
      refresh: refreshToken === null ? null : this.sealer.seal(refreshToken, contextOf(person, 'refresh')),
      refreshExpiresAt,
    };
  }

  /** Null where there is none, or none that opens: the person gives new ones with the next sign-in. */
  open(person: number, use: 'access' | 'refresh', sealed: string | null): string | null {
    if (sealed === null) return null;
    try {
      return this.sealer.open(sealed, contextOf(person, use));
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      this.#logger.warn(`The tokens of person ${person} are lost until they sign in again. ${error.message}`);
      return null;
    }
  }
}

const contextOf = (person: number, use: 'access' | 'refresh'): string => `person:${person}:${use}`;

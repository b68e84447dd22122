import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { DecryptionError } from '../../../crypto/encryption.service.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { RepositoryTokensRepository } from './repository-tokens.repository.js';
import { TokenEncryptionService } from './token-encryption.service.js';

/** How long a token is kept at most, from when it was received. */
const LIFE_MS = 3_600_000;
/** One that is dated further ahead was dated by a clock that was wrong, and nobody knows how old it is. */
const AHEAD_MS = 60_000;

/**
 * Keeps the tokens that people give for work which the app itself may not do: sealed, each for one repository, until it
 * has done that work, and never longer than an hour.
 */
@Injectable()
export class RepositoryTokensService {
  private readonly logger = new Logger(RepositoryTokensService.name);

  constructor(
    private readonly tokens: RepositoryTokensRepository,
    private readonly envelope: TokenEncryptionService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Keeps the token from now on, in the place of any other for the repository. */
  async save(tx: TenantTransaction, repositoryId: string, token: string): Promise<void> {
    const sealed = this.envelope.encrypt({ orgId: tx.orgId, repositoryId }, token);
    await this.tokens.save(tx, repositoryId, sealed, this.clock.now());
  }

  /** Null where there is none, or none that opens; one that has had its hour is wiped first. */
  async findDecrypted(orgId: OrgId, repositoryId: string): Promise<string | null> {
    const sealed = await this.database.inTenant(orgId, async (tx) => {
      await this.deleteAged(tx);
      return this.tokens.find(tx, repositoryId);
    });
    if (sealed === null) return null;
    try {
      return this.envelope.decrypt({ orgId, repositoryId }, sealed);
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error;
      this.logger.warn(`The token that was given for the repository ${repositoryId} is lost. ${error.message}`);
      return null;
    }
  }

  async delete(tx: TenantTransaction, repositoryId: string): Promise<void> {
    await this.tokens.delete(tx, repositoryId);
  }

  /** Wipes what was given for repositories that the app reaches no more. */
  async deleteUnreachable(tx: TenantTransaction): Promise<void> {
    await this.tokens.deleteUnreachable(tx);
  }

  /** Wipes every token, of whichever workspace, that has had its hour. */
  async deleteExpired(): Promise<void> {
    for (const orgId of await this.tokens.listHolders()) {
      await this.database.inTenant(orgId, (tx) => this.deleteAged(tx));
    }
  }

  private async deleteAged(tx: TenantTransaction): Promise<void> {
    const now = this.clock.now().getTime();
    await this.tokens.deleteReceivedOutside(tx, new Date(now - LIFE_MS), new Date(now + AHEAD_MS));
  }
}

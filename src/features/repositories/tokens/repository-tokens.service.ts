import { randomBytes } from 'node:crypto';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { DecryptionError, EncryptionService } from '../../../crypto/encryption.service.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { type EncryptedToken, RepositoryTokensRepository } from './repository-tokens.repository.js';
import { JobHandler } from '../../../jobs/job-handlers.js';

const KEY_BYTES = 32;

/** How long a token is stored, in milliseconds. */
const LIFE_MS = 3_600_000;
/** A token with a later time was dated by a wrong clock, so its age is unknown. */
const AHEAD_MS = 60_000;

/**
 * Stores the tokens that users give for tasks which the app itself may not do. Each is encrypted for one repository and deleted
 * after the task, at the latest after one hour.
 */
@Injectable()
export class RepositoryTokensService implements OnApplicationBootstrap {
  private readonly logger = new Logger(RepositoryTokensService.name);

  private readonly encryption: TokenEncryption;

  constructor(
    private readonly tokens: RepositoryTokensRepository,
    encryption: EncryptionService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    this.encryption = new TokenEncryption(encryption);
  }

  /** The process listens after this. If it fails, the start fails. */
  async onApplicationBootstrap(): Promise<void> {
    await this.deleteExpired();
  }

  /** Replaces an earlier token of the repository. */
  async save(tx: TenantTransaction, repositoryId: string, token: string): Promise<void> {
    const sealed = this.encryption.encrypt({ orgId: tx.orgId, repositoryId }, token);
    await this.tokens.save(tx, repositoryId, sealed, this.clock.now());
  }

  /** Null if there is none, or if it cannot be decrypted. Deletes expired tokens first. */
  async findDecrypted(orgId: OrgId, repositoryId: string): Promise<string | null> {
    const sealed = await this.database.inTenant(orgId, async (tx) => {
      await this.deleteExpiredIn(tx);
      return this.tokens.find(tx, repositoryId);
    });
    if (sealed === null) return null;
    try {
      return this.encryption.decrypt({ orgId, repositoryId }, sealed);
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error;
      this.logger.warn(`Repository token of ${repositoryId} cannot be decrypted: ${error.message}`);
      return null;
    }
  }

  /** Returns those of the repositories that have a token that is not expired. It may be one that cannot be decrypted. */
  async listHolders(tx: TenantTransaction, repositoryIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { after, until } = this.receivedWithin();
    return new Set(await this.tokens.listHolders(tx, repositoryIds, after, until));
  }

  async delete(tx: TenantTransaction, repositoryId: string): Promise<void> {
    await this.tokens.delete(tx, repositoryId);
  }

  /** Deletes the tokens of repositories that the app cannot access any more. */
  async deleteUnreachable(tx: TenantTransaction): Promise<void> {
    await this.tokens.deleteUnreachable(tx);
  }

  /** Deletes the expired tokens of all workspaces, every minute and at the start. */
  @JobHandler('delete-expired-repository-tokens')
  async deleteExpired(): Promise<void> {
    for (const orgId of await this.tokens.listWorkspaces()) {
      await this.database.inTenant(orgId, (tx) => this.deleteExpiredIn(tx));
    }
  }

  private async deleteExpiredIn(tx: TenantTransaction): Promise<void> {
    const { after, until } = this.receivedWithin();
    await this.tokens.deleteReceivedOutside(tx, after, until);
  }

  /** Returns the times between which the tokens that are valid now were received. */
  private receivedWithin(): { readonly after: Date; readonly until: Date } {
    const now = this.clock.now().getTime();
    return { after: new Date(now - LIFE_MS), until: new Date(now + AHEAD_MS) };
  }
}

/** The repository that a token is encrypted for. It cannot be decrypted for another one. */
export interface TokenPlace {
  readonly orgId: OrgId;
  readonly repositoryId: string;
}

/** Encrypts tokens, each with its own key and bound to its repository. */
export class TokenEncryption {
  constructor(private readonly encryption: EncryptionService) {}

  encrypt(place: TokenPlace, token: string): EncryptedToken {
    const key = randomBytes(KEY_BYTES);
    return {
      encryptedToken: createEncryption(key).encrypt(token, encryptionContext(place, 'token')),
      encryptedKey: this.encryption.encrypt(key.toString('base64'), encryptionContext(place, 'key')),
    };
  }

  /** Throws `DecryptionError` if it was encrypted for another repository, or if the key of the service is missing. */
  decrypt(place: TokenPlace, { encryptedToken, encryptedKey }: EncryptedToken): string {
    const key = Buffer.from(this.encryption.decrypt(encryptedKey, encryptionContext(place, 'key')), 'base64');
    return createEncryption(key).decrypt(encryptedToken, encryptionContext(place, 'token'));
  }
}

const createEncryption = (key: Buffer): EncryptionService =>
  new EncryptionService({ encryptionKeys: [{ kid: 'own', key }] });

const encryptionContext = ({ orgId, repositoryId }: TokenPlace, part: 'token' | 'key'): string =>
  `host-token:${orgId}:${repositoryId}:${part}`;

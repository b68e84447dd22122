import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import type { Invite } from './invites.repository.js';
import { inviteExpired, inviteNotFound } from './team.errors.js';

const ID_BYTES = 16;
const TIME_BYTES = 8;
/** The payload's 24 bytes and the 32 of its HMAC-SHA256, in base64url. */
const SHAPE = /^(sgi_[\w-]{32})\.([\w-]{43})$/;

/**
 * Signs invites and verifies its signatures without the database. The key is derived for invites only, so that no other
 * signature of the service is valid for an invite.
 */
@Injectable()
export class InviteTokens {
  /** The first key signs, all verify. */
  readonly #keys: readonly [Buffer, ...Buffer[]];

  constructor(
    @Inject(ENVIRONMENT) { sessionSecret, sessionSecretAlsoValid: alsoValid }: Environment,
    private readonly clock: Clock,
  ) {
    this.#keys = [deriveKey(sessionSecret), ...(alsoValid === null ? [] : [deriveKey(alsoValid)])];
  }

  sign({ id, expiresAt }: Pick<Invite, 'id' | 'expiresAt'>): string {
    const payload = Buffer.alloc(ID_BYTES + TIME_BYTES);
    payload.write(id.replaceAll('-', ''), 'hex');
    payload.writeBigUInt64BE(BigInt(expiresAt.getTime()), ID_BYTES);
    const signed = `sgi_${payload.toString('base64url')}`;
    return `${signed}.${createSignature(signed, this.#keys[0])}`;
  }

  /** Verifies a token and returns the id of its invite. Throws `not_found` for a wrong signature, `gone` if it has expired. */
  open(token: string): string {
    const [, signed, signature] = SHAPE.exec(token) ?? [];
    if (signed === undefined || signature === undefined) throw inviteNotFound();
    // The texts are compared, not the bytes that they stand for: several texts stand for the same bytes.
    const given = Buffer.from(signature);
    if (!this.#keys.some((key) => timingSafeEqual(given, Buffer.from(createSignature(signed, key)))))
      throw inviteNotFound();
    const payload = Buffer.from(signed.slice('sgi_'.length), 'base64url');
    if (payload.readBigUInt64BE(ID_BYTES) <= BigInt(this.clock.now().getTime())) throw inviteExpired();
    return toUuid(payload.subarray(0, ID_BYTES));
  }
}

const deriveKey = (secret: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', 'shipgate invites', 32));

const createSignature = (signed: string, key: Buffer): string =>
  createHmac('sha256', key).update(signed).digest('base64url');

const toUuid = (bytes: Buffer): string => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

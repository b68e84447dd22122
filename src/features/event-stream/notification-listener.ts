import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { Notification, PoolClient } from 'pg';
import pTimeout from 'p-timeout';
import { Database } from '../../database/database.js';

/** May be said again: it is also how a connection is asked whether it is there. */
const LISTEN = 'listen shipgate_events';
const RECONNECT_MS = 250;
/** How long a connection may be silent when it is asked whether it is there. */
const SIGN_OF_LIFE_MS = 5_000;

export interface NoticeHandlers {
  /** The database announced something: a word that says what, and ids. */
  onNotice(notice: string): void;
  /** Nothing was heard for a while, and whatever was announced meanwhile will not be again. */
  onGap(): void;
}

/** Hears what the database announces to all processes, on one connection that is made again wherever it breaks. */
@Injectable()
export class NotificationListener {
  readonly #logger = new Logger(NotificationListener.name);
  #handlers: NoticeHandlers = { onNotice: () => undefined, onGap: () => undefined };
  #connection: PoolClient | null = null;
  #listening: Promise<void> | null = null;
  #isStopped = false;

  constructor(private readonly database: Database) {}

  handle(handlers: NoticeHandlers): void {
    this.#handlers = handlers;
  }

  /** Resolves once everything that is announced from now on will be heard. Rejects where the database does not answer. */
  async listen(): Promise<void> {
    this.#listening ??= this.#connect();
    try {
      await this.#listening;
    } catch (error) {
      this.#listening = null;
      throw error;
    }
  }

  /** Notices that a connection is gone of which nothing is heard, as behind a network that swallows what is sent. */
  async check(): Promise<void> {
    const connection = this.#connection;
    if (connection === null) return;
    const answer = connection.query(LISTEN);
    await pTimeout(answer, { milliseconds: SIGN_OF_LIFE_MS, message: 'it does not answer' }).catch((error: unknown) =>
      this.#lose(connection, String(error)),
    );
  }

  stop(): void {
    this.#isStopped = true;
    this.#connection?.release(true);
    this.#connection = null;
  }

  async #connect(): Promise<void> {
    const connection = await this.database.pool.connect();
    connection.on('notification', ({ payload = '' }: Notification) => this.#handlers.onNotice(payload));
    connection.on('error', (error) => this.#lose(connection, String(error)));
    connection.on('end', () => this.#lose(connection, 'it ended'));
    try {
      await connection.query(LISTEN);
    } catch (error) {
      connection.release(true);
      throw error;
    }
    if (this.#isStopped) connection.release(true);
    else this.#connection = connection;
  }

  #lose(connection: PoolClient, reason: string): void {
    if (this.#connection !== connection) return;
    this.#connection = null;
    connection.release(true);
    this.#logger.warn(`The connection that hears of events was lost: ${reason}`);
    this.#listening = this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#connect();
        this.#handlers.onGap();
        return;
      } catch {
        await sleep(RECONNECT_MS, undefined, { ref: false });
      }
    }
  }
}

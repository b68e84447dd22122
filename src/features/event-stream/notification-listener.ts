import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { Notification, PoolClient } from 'pg';
import pTimeout from 'p-timeout';
import { Database } from '../../database/database.js';

/** May be repeated. It also checks whether the connection works. */
const LISTEN = 'listen shipgate_events';
const RECONNECT_MS = 250;
/** How long a connection may take to respond to the check. */
const SIGN_OF_LIFE_MS = 5_000;

export interface NoticeHandlers {
  /** Handles a notification of the database: a kind and ids. */
  onNotice(notice: string): void;
  /** Handles a new connection. Notifications since the last one are lost. */
  onGap(): void;
}

/** Listens for notifications of the database, on one connection that is opened again after it breaks. */
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

  /** Resolves when all further notifications will be received. Rejects if the database does not respond. */
  async listen(): Promise<void> {
    this.#listening ??= this.#connect();
    try {
      await this.#listening;
    } catch (error) {
      this.#listening = null;
      throw error;
    }
  }

  /** Detects a connection that is broken without an error, such as behind a network that drops packets. */
  async check(): Promise<void> {
    const connection = this.#connection;
    if (connection === null) return;
    const answer = connection.query(LISTEN);
    await pTimeout(answer, { milliseconds: SIGN_OF_LIFE_MS, message: 'no response' }).catch((error: unknown) =>
      this.#lose(connection, String(error)),
    );
  }

  stop(): void {
    this.#isStopped = true;
    this.#connection?.release(true);
    this.#connection = null;
  }

  async #connect(): Promise<void> {
    const connection = await this.database.sessions.connect();
    connection.on('notification', ({ payload = '' }: Notification) => this.#handlers.onNotice(payload));
    connection.on('error', (error) => this.#lose(connection, String(error)));
    connection.on('end', () => this.#lose(connection, 'connection ended'));
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
    this.#logger.warn(`Event listener connection lost: ${reason}`);
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

import { createHmac, randomUUID } from 'node:crypto';
import { WebhookInboxService } from '../../src/features/webhooks/webhook-inbox.service.js';
import type { Hook } from '../github-sim/webhook-outbox.js';
import type { TestEnvironment } from '../support/test-environment.js';

/** A delivery with its signature, to be sent at any time. */
export interface HeldDelivery {
  readonly guid: string;
  readonly event: string;
  readonly bytes: Buffer;
}

/** Holds the deliveries of some repositories, so that they arrive when and as often as a test wants. */
export class DelayedDeliveries {
  private readonly held = new Map<number, HeldDelivery[]>();
  private readonly inbox: WebhookInboxService;

  constructor(private readonly env: TestEnvironment) {
    this.inbox = env.app.get(WebhookInboxService);
    const { outbox } = env;
    const emit = outbox.emit.bind(outbox);
    outbox.emit = (hook) => {
      const held = this.held.get(repositoryIdOf(hook));
      if (held === undefined) emit(hook);
      else held.push({ guid: randomUUID(), event: hook.event, bytes: Buffer.from(JSON.stringify(hook.payload)) });
    };
  }

  /** Holds all deliveries of the repository from now on. */
  hold(repositoryId: number): void {
    this.held.set(repositoryId, []);
  }

  /** The deliveries of the repository since the last call. */
  take(repositoryId: number): readonly HeldDelivery[] {
    return this.held.get(repositoryId)?.splice(0) ?? [];
  }

  async deliver({ guid, event, bytes }: HeldDelivery): Promise<void> {
    const signature = `sha256=${createHmac('sha256', this.env.githubApp.webhookSecret).update(bytes).digest('hex')}`;
    const stored = await this.inbox.accept({ body: { oversized: false, bytes }, guid, event, signature });
    if (!stored) throw new Error(`The delivery ${guid} was not kept.`);
  }
}

const repositoryIdOf = ({ payload }: Hook): number =>
  (payload as { readonly repository?: { readonly id: number } }).repository?.id ?? 0;

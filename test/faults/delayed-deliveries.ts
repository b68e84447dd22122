import { createHmac, randomUUID } from 'node:crypto';
import { WebhookInboxService } from '../../src/features/webhooks/webhook-inbox.service.js';
import type { Hook } from '../github-sim/webhook-outbox.js';
import type { TestEnvironment } from '../support/test-environment.js';

/** A delivery as it was signed, to be made whenever somebody wants. */
export interface HeldDelivery {
  readonly guid: string;
  readonly event: string;
  readonly bytes: Buffer;
}

/** Holds what the host tells of some repositories, so that it arrives when and as often as a test wants. */
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

  /** From now on nothing that is told of the repository arrives by itself. */
  hold(repositoryId: number): void {
    this.held.set(repositoryId, []);
  }

  /** What was told of the repository since it was asked for last. */
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

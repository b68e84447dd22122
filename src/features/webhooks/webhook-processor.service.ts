import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { JobHandlers } from '../../jobs/job-handlers.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { MemberFollowUp } from './member-follow-up.service.js';
import { hintsOf } from './payload-changes.js';
import { WebhookFollowUp } from './webhook-follow-up.service.js';

/** Does what deliveries hint at. Doing it twice changes nothing more than doing it once. */
@Injectable()
export class WebhookProcessor implements OnModuleInit {
  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly members: MemberFollowUp,
    private readonly followUp: WebhookFollowUp,
    private readonly handlers: JobHandlers,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.handlers.register('process-webhook', ({ guid }, { lastTry }) => this.process(guid, lastTry));
  }

  async process(guid: string, lastTry = false): Promise<void> {
    const delivery = await this.deliveries.find(guid);
    // Also one that was given up: it came again in that moment, else nobody would have been told to do it.
    const isOpen = delivery?.status === 'pending' || delivery?.status === 'dead';
    if (!isOpen || delivery.body === null) return;
    const payload = parse(delivery.body);
    const hints = hintsOf(delivery.event, payload);
    try {
      const { event, installationId } = delivery;
      const concern = { event, installationId, repositoryId: repositoryIdOf(payload) };
      // First, because it waits for nobody: who lost something loses it though the rest must be tried again.
      await this.members.follow(hints, installationId);
      const outcome = await this.followUp.follow(hints, concern);
      await this.deliveries.finish(guid, outcome, null, this.clock.now());
    } catch (error) {
      // A dead letter is seen and counted, and a redelivery revives it.
      if (lastTry) await this.deliveries.finish(guid, 'dead', String(error).slice(0, 1000), this.clock.now());
      throw error;
    }
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function repositoryIdOf(payload: unknown): number | null {
  const id = (payload as { repository?: { id?: unknown } | null } | null)?.repository?.id;
  return Number.isSafeInteger(id) ? (id as number) : null;
}

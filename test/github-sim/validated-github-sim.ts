import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Exchange } from './exchange-observer.js';
import { GitHubSim } from './github-sim.js';
import { OpenApiValidator } from './openapi/validator.js';
import { WebhookValidator, type WebhookSchemas } from './openapi/webhook-validator.js';
import type { TimeSource } from './state/simulated-github-state.js';
import { noopOutbox, type DeliveryLog, type Hook, type WebhookOutbox } from './webhook-outbox.js';

interface ObservedSimOptions {
  readonly clock?: TimeSource;
  /** Receives the hooks after the check. By default they are dropped. */
  readonly outbox?: WebhookOutbox & DeliveryLog;
}

/** A simulator that records every hook and every exchange, and checks them against GitHub's own descriptions. */
export interface ValidatedGitHubSim {
  readonly sim: GitHubSim;
  readonly hooks: Hook[];
  readonly exchanges: Exchange[];
  /** A sentence for each deviation from GitHub's descriptions. A test expects none. */
  readonly violations: string[];
}

const openApi = new OpenApiValidator();
const schemas = createRequire(import.meta.url).resolve('@octokit/webhooks-schemas/schema.json');
const webhooks = new WebhookValidator(JSON.parse(readFileSync(schemas, 'utf8')) as WebhookSchemas);

export async function startObservedSim({
  clock,
  outbox = noopOutbox,
}: ObservedSimOptions = {}): Promise<ValidatedGitHubSim> {
  const hooks: Hook[] = [];
  const exchanges: Exchange[] = [];
  const violations: string[] = [];
  const sim = await GitHubSim.start({
    ...(clock && { clock }),
    outbox: {
      list: (appId) => outbox.list(appId),
      find: (appId, deliveryId) => outbox.find(appId, deliveryId),
      redeliver: (appId, deliveryId) => outbox.redeliver(appId, deliveryId),
      emit: (hook) => {
        hooks.push(hook);
        outbox.emit(hook);
        for (const { event, detail } of webhooks.check(hook.event, hook.payload))
          violations.push(`${event}: ${detail}`);
      },
    },
    onExchange: (exchange) => {
      exchanges.push(exchange);
      for (const { operation, part, detail } of openApi.check(exchange)) {
        violations.push(`${operation} ${part}: ${detail}`);
      }
    },
  });
  return { sim, hooks, exchanges, violations };
}

import { Ajv, type ValidateFunction } from 'ajv';
import ajvFormats from 'ajv-formats';
import { DescriptionSchemas } from './description-schemas.js';
import { isKnownWebhookError } from './known-schema-errors.js';
import { readOpenApiDescription, type OpenApiDescription } from './openapi-description.js';
import { problemsOf } from './schema-problems.js';

/** The document of `@octokit/webhooks-schemas`: one definition for each event, and for each of its actions. */
export interface WebhookSchemas {
  readonly definitions: Readonly<Record<string, object>>;
}

/** One deviation from GitHub's schemas. */
export interface WebhookViolation {
  /** The event, with its action if it has one, such as `milestone.created`. */
  readonly event: string;
  readonly detail: string;
}

const SCHEMAS_ID = 'github-webhooks';

/**
 * Checks webhook payloads against their published schemas, or against GitHub's own description if these lack the event.
 */
export class WebhookValidator {
  private readonly ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, code: { optimize: false } });
  private readonly described: DescriptionSchemas;
  private readonly compiled = new Map<string, ValidateFunction>();

  /** The schemas are an argument, because they are installed for development only. */
  constructor(
    private readonly schemas: WebhookSchemas,
    private readonly description: OpenApiDescription = readOpenApiDescription(),
  ) {
    this.described = new DescriptionSchemas(description);
    ajvFormats.default(this.ajv);
    this.ajv.addSchema({ definitions: withLaterEvents(schemas.definitions, description) }, SCHEMAS_ID);
  }

  /** Returns every deviation of the payload; empty if GitHub allows it. */
  check(event: string, payload: object): readonly WebhookViolation[] {
    const action = 'action' in payload && typeof payload.action === 'string' ? payload.action : null;
    const name = action === null ? event : `${event}.${action}`;
    // An event without actions has a name such as `push$event`. The schema of one action gives more exact errors than
    // the schema of the event, which allows any of its actions.
    const definition = `${event}$${action ?? 'event'}`;
    const problems =
      definition in this.schemas.definitions ? this.problems(definition, payload) : this.others(name, payload);
    return problems.map((detail) => ({ event: name, detail })).filter((one) => !isKnownWebhookError(one));
  }

  private problems(definition: string, payload: object): string[] {
    const validate = this.validatorOf(definition);
    return validate(payload) ? [] : problemsOf(validate);
  }

  private others(name: string, payload: object): string[] {
    const schema = this.description.webhooks[name];
    return schema ? this.described.problems(schema, 'open', payload) : ['is no event of GitHub'];
  }

  private validatorOf(definition: string): ValidateFunction {
    const validate =
      this.compiled.get(definition) ?? this.ajv.compile({ $ref: `${SCHEMAS_ID}#/definitions/${definition}` });
    this.compiled.set(definition, validate);
    return validate;
  }
}

/**
 * Adds events to the published list of events, which is older: those that the schemas or GitHub's description define.
 */
function withLaterEvents(
  definitions: WebhookSchemas['definitions'],
  { webhooks }: OpenApiDescription,
): WebhookSchemas['definitions'] {
  const names = [...Object.keys(definitions).filter((name) => name.includes('$')), ...Object.keys(webhooks)];
  const later = [...new Set(names.map((name) => name.split(/[.$]/, 1)[0] ?? name))];
  const listing = Object.entries(definitions).filter(([name]) => name === 'app' || name === 'installation');
  const added = listing.map(([name, definition]) => [name, withItems(definition, later)] as const);
  return { ...definitions, ...Object.fromEntries(added) };
}

function withItems(definition: object, events: readonly string[]): object {
  const copy = structuredClone(definition) as { properties?: { events?: { items?: { enum?: string[] } } } };
  copy.properties?.events?.items?.enum?.push(...events);
  return copy;
}

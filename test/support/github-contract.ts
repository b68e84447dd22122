import { createRequire } from 'node:module';
import { OpenApiValidator } from '../github-sim/openapi/validator.js';
import { WebhookValidator, type WebhookSchemas } from '../github-sim/openapi/webhook-validator.js';

const schemas = createRequire(import.meta.url)('@octokit/webhooks-schemas/schema.json') as WebhookSchemas;

/**
 * GitHub's descriptions of its API and its webhooks. All files of a worker share them, because the schemas take long to
 * compile.
 */
export const GITHUB_API = new OpenApiValidator();
export const GITHUB_WEBHOOKS = new WebhookValidator(schemas);

import type { RulesetDefinition } from '@stoplight/spectral-core';
import owasp from '@stoplight/spectral-owasp-ruleset';

/** OWASP's rules for APIs, as the OpenAPI document is held to them. Each rule that is switched off has its reason; the others find nothing. */
export const OPENAPI_RULESET: RulesetDefinition = {
  // Its types tell of a default export, which the module is itself.
  extends: [[owasp as unknown as RulesetDefinition, 'all']],
  rules: {
    // Public routes need no credential. `test/architecture/access-table.ts` lists whom each route answers, and its tests call them all.
    'owasp:api2:2023-read-restricted': 'off',
    'owasp:api2:2023-write-restricted': 'off',
    'owasp:api8:2023-define-error-responses-401': 'off',
    // Fields of requests have their limits by the test beside this rule set. The rules also ask for limits of what the service itself answers.
    'owasp:api4:2023-string-limit': 'off',
    'owasp:api4:2023-integer-limit': 'off',
    'owasp:api4:2023-integer-format': 'off',
    'owasp:api4:2023-array-limit': 'off',
    // Names, reasons and notes are text that people write in any language.
    'owasp:api4:2023-string-restricted': 'off',
    // What a guard refuses was not counted yet, so its answer has nothing to tell of a limit.
    'owasp:api4:2023-rate-limit': 'off',
    // Deliveries are never refused for their number, and probes of the service's health have no limit.
    'owasp:api4:2023-rate-limit-responses-429': 'off',
    // Pages of other origins may not read any answer: there is no such header on purpose.
    'owasp:api8:2023-define-cors-origin': 'off',
    // GitHub's own numbers of people and installations, which are public. Ids of the service are random UUIDs.
    'owasp:api1:2023-no-numeric-ids': 'off',
  },
};

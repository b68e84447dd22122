import type { RulesetDefinition } from '@stoplight/spectral-core';
import owasp from '@stoplight/spectral-owasp-ruleset';

/** OWASP's rules for APIs, which the OpenAPI document must follow. Each rule that is switched off has its reason. */
export const OPENAPI_RULESET: RulesetDefinition = {
  // The types of the package declare a default export, but the module itself is the rule set.
  extends: [[owasp as unknown as RulesetDefinition, 'all']],
  rules: {
    // Public routes need no credential. `test/architecture/access-table.ts` lists whom each route answers, and its tests call them all.
    'owasp:api2:2023-read-restricted': 'off',
    'owasp:api2:2023-write-restricted': 'off',
    'owasp:api8:2023-define-error-responses-401': 'off',
    // The test beside this rule set checks the limits of request fields. These rules also require limits for responses.
    'owasp:api4:2023-string-limit': 'off',
    'owasp:api4:2023-integer-limit': 'off',
    'owasp:api4:2023-integer-format': 'off',
    'owasp:api4:2023-array-limit': 'off',
    // Names, reasons and notes are texts that users write in any language.
    'owasp:api4:2023-string-restricted': 'off',
    // A request that a guard rejects was not counted yet, so its response has no header about the limit.
    'owasp:api4:2023-rate-limit': 'off',
    // The number of deliveries has no limit, and neither have probes of the service's health.
    'owasp:api4:2023-rate-limit-responses-429': 'off',
    // Pages of other origins may not read any response, so this header is omitted on purpose.
    'owasp:api8:2023-define-cors-origin': 'off',
    // GitHub's own numbers of users and installations, which are public. Ids of the service are random UUIDs.
    'owasp:api1:2023-no-numeric-ids': 'off',
  },
};

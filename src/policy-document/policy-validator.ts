import { _ } from 'ajv';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { isCalendarDay } from '../domain/policy/freeze.js';
import { SDLC_V1_SCHEMA } from './sdlc.v1.schema.js';

/**
 * Validates a document by the schema. `scripts/bundle.mjs` replaces this module in the command line by the code that it compiles to here,
 * because a CI job would compile it at each start. That needs the source of the function, and the name of the formats in it.
 */
export const validatePolicy: ValidateFunction = new Ajv2020({
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
  // The schema itself is validated in its tests, because that takes longer than compiling it.
  meta: false,
  validateSchema: false,
  code: { source: true, formats: _`policyFormats` },
})
  .addFormat('date', isCalendarDay)
  .compile(SDLC_V1_SCHEMA);

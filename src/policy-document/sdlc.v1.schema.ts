import { RELEASE_NAMING_FORMATS } from '../domain/policy/policy.js';
import { DEFAULT_VALUES } from '../domain/policy/policy-fields.js';
import { BRANCH_PATTERN, COUNT, LINE, list, PATTERNS, section, type PolicySchema } from './policy-schema.js';
import { STAGES_SCHEMA } from './sdlc.v1.stages.schema.js';

const severityLimits = (title: string, description: string): PolicySchema =>
  section(title, `${description} A missing severity has no limit.`, {
    max_critical: { title: 'Critical', description: 'Maximum number of critical findings.', ...COUNT },
    max_high: { title: 'High', description: 'Maximum number of findings of high severity.', ...COUNT },
    max_medium: {
      title: 'Medium',
      description: 'Maximum number of findings of medium severity.',
      ...COUNT,
    },
    max_low: { title: 'Low', description: 'Maximum number of findings of low severity.', ...COUNT },
  });

const QUALITY_GATES = section(
  'Quality gates',
  'Limits on coverage and findings. A limit that is left out does not apply.',
  {
    coverage: section('Coverage', 'Limits on the coverage of the code by tests.', {
      min_line_percent: {
        title: 'Minimum line coverage',
        description: 'Minimum line coverage, in percent.',
        type: 'number',
        minimum: 0,
        maximum: 100,
      },
      max_drop: {
        title: 'Maximum drop',
        description: 'Percentage points by which line coverage may fall below that of the last shipped release.',
        type: 'number',
        minimum: 0,
        maximum: 100,
      },
    }),
    sast_scan: severityLimits('Static analysis', 'Findings of static analysis.'),
    security: severityLimits('Vulnerabilities', 'Known vulnerabilities of dependencies and images.'),
  },
);

/** The published JSON Schema of `sdlc.yaml`, version 1. The service validates with it, and editors complete with it. */
export const SDLC_V1_SCHEMA: PolicySchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:shipgate:sdlc:v1',
  ...section(
    'sdlc.yaml',
    'The rules for the releases of a repository: requirements of the stages and of the gate. Everything but `version` may be left out.',
    {
      version: { title: 'Version', description: 'Version of this format.', const: 'v1' },
      name: {
        title: 'Name',
        description: 'Name of the product.',
        ...LINE,
        maxLength: 100,
        examples: ['payments'],
      },
      release_naming: section('Release naming', 'The format of the titles of milestones that are releases.', {
        format: {
          title: 'Format',
          description:
            'Format of the titles: `semver-v-strict` as v1.2.3, `semver` as 1.2.3, each with an optional pre-release; `calver` as 2026.11.0.',
          type: 'string',
          enum: RELEASE_NAMING_FORMATS,
          default: DEFAULT_VALUES['release_naming.format'],
        },
      }),
      hotfix: section(
        'Hotfix',
        'Urgent releases: they skip the requirements of PLANNING, but need evidence and approval.',
        {
          branch_pattern: {
            title: 'Hotfix branches',
            description: 'Branches of hotfixes; the last segment is the version.',
            ...BRANCH_PATTERN,
            default: DEFAULT_VALUES['hotfix.branch_pattern'],
          },
        },
      ),
      evidence_events: {
        ...list(
          'Events that may upload',
          'Events of workflow runs that may upload evidence, besides push, workflow_dispatch, schedule, release and merge_group.',
          20,
          {
            title: 'Event',
            description: 'Name of an event that starts workflows.',
            type: 'string',
            minLength: 1,
            maxLength: 64,
            pattern: PATTERNS.event.pattern,
          },
        ),
        default: DEFAULT_VALUES.evidence_events,
        examples: [['repository_dispatch']],
      },
      stages: STAGES_SCHEMA,
      quality_gates: QUALITY_GATES,
      freezes: {
        ...list('Freezes', 'Days on which nothing may be deployed to the target.', 100, {
          ...section(
            'Freeze',
            'A span of days in UTC, the first and the last included.',
            {
              from: { title: 'First day', description: 'First day of the freeze.', type: 'string', format: 'date' },
              to: {
                title: 'Last day',
                description: 'Last day of the freeze, not before the first.',
                type: 'string',
                format: 'date',
              },
              reason: { title: 'Reason', description: 'Reason of the freeze.', ...LINE },
            },
            ['from', 'to'],
          ),
          examples: [{ from: '2026-12-20', to: '2027-01-02', reason: 'year end' }],
        }),
        default: DEFAULT_VALUES.freezes,
      },
    },
    ['version'],
  ),
  examples: [
    { version: 'v1' },
    {
      version: 'v1',
      stages: { testing: { required_checks: ['build'] }, evidencing: { required_evidence: [{ kind: 'unit_tests' }] } },
    },
  ],
};

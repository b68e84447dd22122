import { EVIDENCE_KINDS } from '../domain/evidence/evidence.js';
import { ARTIFACT_BUILDERS, DEFAULT_HOLD } from '../domain/policy/policy.js';
import { DEFAULT_VALUES } from '../domain/policy/policy-fields.js';
import { BRANCH_PATTERN, COUNT, flag, LINE, list, PATTERNS, section, type PolicySchema } from './policy-schema.js';

const requiredChecks = (description: string, byDefault: readonly unknown[]): PolicySchema => ({
  ...list('Required checks', description, 50, {
    ...section(
      'Required check',
      'The name of a check run or the context of a commit status; with `app`, only as that app reports it.',
      {
        name: { title: 'Name', description: 'Name of the check run, or context of the commit status.', ...LINE },
        app: {
          title: 'App',
          description: 'Slug of the GitHub App that must report the check. Without it, a report of any app counts.',
          type: 'string',
          minLength: 1,
          maxLength: 100,
          pattern: PATTERNS.slug.pattern,
          examples: ['github-actions'],
        },
        allow_skipped: {
          title: 'Allow skipped',
          description:
            'With `true`, a check that was skipped or ended neutral is met. Without it, such a check is unmet, because it shows no result.',
          type: 'boolean',
        },
      },
      ['name'],
    ),
    ...LINE,
    type: ['string', 'object'],
    examples: ['build', { name: 'e2e', app: 'github-actions' }, { name: 'docs', allow_skipped: true }],
  }),
  default: byDefault,
});

const deployTarget: PolicySchema = {
  title: 'Deploy target',
  description:
    'Environment that the stage deploys to. It has a gate of its own. With `soak` beside it, the stage requires a deployment there.',
  ...LINE,
  examples: ['staging'],
};

const soak: PolicySchema = {
  title: 'Soak',
  description:
    'How long the candidate must stay deployed to `deploy_target` before the release leaves the stage, from `0s` to `30d`. Only beside `deploy_target`.',
  type: 'string',
  minLength: 2,
  maxLength: 8,
  pattern: PATTERNS.soakTime.pattern,
  examples: ['30m', '24h'],
};

/** The key `stages` of `sdlc.yaml`, version 1. */
export const STAGES_SCHEMA = section(
  'Stages',
  'The requirements of each stage. A release leaves a stage when they are met.',
  {
    planning: section('Planning', 'The requirements before development. Hotfixes skip them.', {
      require_issues: flag(
        'Require issues',
        'The scope of the release may not be empty.',
        DEFAULT_VALUES['stages.planning.require_issues'],
      ),
      require_issues_assigned: flag(
        'Require owners',
        'Every open issue in the scope must have an owner.',
        DEFAULT_VALUES['stages.planning.require_issues_assigned'],
      ),
    }),
    development: section('Development', 'The requirements before testing.', {
      branch: {
        title: 'Development branch',
        description: "Branch that releases are developed on. Without it, the repository's default branch.",
        type: 'string',
        minLength: 1,
        maxLength: 255,
        pattern: PATTERNS.branch.pattern,
        examples: ['main'],
      },
      deploy_target: { ...deployTarget, examples: ['dev'] },
      soak,
      required_checks: requiredChecks(
        'Checks that must have succeeded at the candidate before the release leaves DEVELOPMENT.',
        DEFAULT_VALUES['stages.development.required_checks'],
      ),
      require_issues_closed: flag(
        'Require closed issues',
        'Every issue in the scope must be closed, but those with an exempt label.',
        DEFAULT_VALUES['stages.development.require_issues_closed'],
      ),
      exempt_labels: {
        ...list('Exempt labels', 'Open issues with one of these labels do not block a release.', 50, {
          title: 'Label',
          description: 'Name of a label of the repository.',
          ...LINE,
          maxLength: 100,
        }),
        default: DEFAULT_VALUES['stages.development.exempt_labels'],
        examples: [['bug', 'documentation']],
      },
    }),
    testing: section('Testing', 'The requirements before the evidence is reviewed.', {
      branch_pattern: {
        title: 'Release branches',
        description:
          'Branches that carry releases; the last segment is the version. `*` stands for any characters of a segment, `**` for any depth, `?` for one character.',
        ...BRANCH_PATTERN,
        default: DEFAULT_VALUES['stages.testing.branch_pattern'],
        examples: ['release/**'],
      },
      deploy_target: deployTarget,
      soak,
      required_checks: requiredChecks(
        'Checks that must have succeeded at the candidate before the release leaves TESTING.',
        DEFAULT_VALUES['stages.testing.required_checks'],
      ),
      required_artifacts: {
        ...list('Required artifacts', 'Artifacts that must be stated for the candidate by their digest.', 50, {
          ...section(
            'Required artifact',
            'One artifact, by its name.',
            {
              name: {
                title: 'Name',
                description: 'Name of the artifact, as uploads state it.',
                ...LINE,
                examples: ['api'],
              },
              provenance: {
                title: 'Require provenance',
                description:
                  'A verified provenance bundle is required; `true` by default. With `false` the statement of a run is sufficient.',
                type: 'boolean',
              },
              builder: {
                title: 'Builder',
                description: 'Kind of the runner that must have built it; `github-hosted` by default.',
                type: 'string',
                enum: ARTIFACT_BUILDERS,
              },
              signer_workflow: {
                title: 'Signer workflow',
                description: 'Workflow that must have signed the provenance. Without it, any workflow may have.',
                type: 'string',
                minLength: 1,
                maxLength: 255,
                pattern: PATTERNS.workflow.pattern,
                examples: ['acme/payments/.github/workflows/build.yml'],
              },
            },
            ['name'],
          ),
          examples: [{ name: 'api', provenance: true }],
        }),
        default: DEFAULT_VALUES['stages.testing.required_artifacts'],
      },
    }),
    evidencing: section('Evidencing', 'The required evidence, and its approval.', {
      required_evidence: {
        ...list('Required evidence', 'Evidence that must be present at the candidate.', 50, {
          ...section(
            'Required evidence',
            'One kind of evidence, optionally of one environment.',
            {
              kind: { title: 'Kind', description: 'Kind of the evidence.', type: 'string', enum: EVIDENCE_KINDS },
              environment: {
                title: 'Environment',
                description: 'Environment of the evidence. Without it, every environment counts.',
                ...LINE,
                examples: ['staging'],
              },
              min_tests: {
                title: 'Minimum tests',
                description: 'Minimum number of passed tests. Only for kinds of tests; 1 by default.',
                ...COUNT,
                minimum: 1,
              },
              after_deployment: {
                title: 'After the deployment',
                description:
                  'With `true`, only evidence of runs counts that began after the candidate was deployed to the `deploy_target` of TESTING.',
                type: 'boolean',
              },
            },
            ['kind'],
          ),
          examples: [{ kind: 'unit_tests', environment: 'staging', min_tests: 1 }],
        }),
        default: DEFAULT_VALUES['stages.evidencing.required_evidence'],
      },
      required_reviewers: section(
        'Required reviewers',
        'The number of approvals of the evidence pull request, and the users whose approvals count.',
        {
          min_approvals: {
            title: 'Minimum approvals',
            description:
              'Number of users who must approve. With 0, the merge of the evidence pull request is the approval, unless the default of the organization requires an approval.',
            type: 'integer',
            minimum: 0,
            maximum: 20,
            default: DEFAULT_VALUES['stages.evidencing.required_reviewers.min_approvals'],
          },
          teams: {
            ...list(
              'Teams',
              'Only members of one of these teams count. Without teams, every user with write access counts.',
              20,
              {
                title: 'Team',
                description: 'Slug of a team of the organization, without the organization.',
                type: 'string',
                minLength: 1,
                maxLength: 100,
                pattern: PATTERNS.slug.pattern,
              },
            ),
            default: DEFAULT_VALUES['stages.evidencing.required_reviewers.teams'],
            examples: [['release-managers']],
          },
          exclude_release_authors: flag(
            'Exclude authors',
            'The authors, committers and co-authors of the commits of a release do not count as its reviewers.',
            DEFAULT_VALUES['stages.evidencing.required_reviewers.exclude_release_authors'],
          ),
        },
      ),
    }),
    deployment: section('Deployment', 'The target of the deployment, and the requirements of the gate.', {
      target: {
        title: 'Target',
        description: 'Environment whose successful deployment ships a release.',
        ...LINE,
        default: DEFAULT_VALUES['stages.deployment.target'],
      },
      promotion: {
        title: 'Promotion',
        description:
          'With `auto`, a release that enters DEPLOYMENT sends the event `shipgate-deploy` to the repository.',
        type: 'string',
        enum: ['manual', 'auto'],
        default: DEFAULT_VALUES['stages.deployment.promotion'],
      },
      requires_evidence_approval: flag(
        'Require approval',
        'The gate opens only if the evidence pull request is approved.',
        DEFAULT_VALUES['stages.deployment.requires_evidence_approval'],
      ),
      hold: section('Hold', 'How the protection rule of the target handles a deployment that may not begin yet.', {
        for: {
          title: 'Longest wait',
          description: 'How long a deployment may wait for the gate, in hours or days. After that it is rejected.',
          type: 'string',
          minLength: 2,
          maxLength: 4,
          pattern: PATTERNS.holdTime.pattern,
          default: `${DEFAULT_HOLD.hours}h`,
          examples: ['24h', '7d'],
        },
        when_closed: {
          title: 'While closed',
          description: 'With `reject`, a deployment that begins while the gate is closed is rejected instead of held.',
          type: 'string',
          enum: ['wait', 'reject'],
          default: DEFAULT_HOLD.whenClosed,
        },
      }),
    }),
  },
);

import { EVIDENCE_KINDS } from '../domain/evidence/evidence.js';
import type { ReleaseOrder } from '../domain/release/outcome.js';

interface OptionDescription {
  /** The name of the value in the usage; absent for an option without a value. */
  readonly value?: string;
  readonly help: string;
  /** The values that the completion offers. A newer service may know more, so they are not the only ones that are sent. */
  readonly choices?: readonly string[];
}

export type Options = Readonly<Record<string, OptionDescription>>;

export interface CommandDescription {
  readonly summary: string;
  /** The arguments after the command, as the usage shows them. */
  readonly operands: string;
  /** The first arguments that select what the command does. */
  readonly actions: readonly string[];
  readonly options: Options;
  /** Whole calls, each with its purpose. */
  readonly examples: readonly (readonly [call: string, purpose: string])[];
  /** The page about the command in the repository of Shipgate. */
  readonly guide: string;
}

const RELEASE: OptionDescription = {
  value: 'VERSION',
  help: 'the title of the milestone of the release; default: auto, the release of this branch or tag',
  choices: ['auto'],
};
const REPOSITORY: OptionDescription = { value: 'OWNER/NAME', help: 'the repository on GitHub; default: from CI' };
const ENVIRONMENT: OptionDescription = { value: 'NAME', help: 'the environment of the deployment' };
const DIGEST: OptionDescription = { value: 'DIGEST', help: 'the artifact that would be deployed: sha256:…' };
const DEPLOYED_COMMIT = {
  sha: { value: 'SHA', help: 'the commit that would be deployed; default: from CI' },
  'any-sha': { help: 'the candidate, with any commit' },
} as const satisfies Options;
const RUN_URL: OptionDescription = { value: 'URL', help: 'the page of the run that deploys; default: from CI' };
const POLICY_OPTIONS = {
  remote: { help: 'check the policy in effect for a commit, as Shipgate reads it' },
  repo: REPOSITORY,
  commit: { value: 'SHA', help: 'the commit for --remote; default: from CI' },
} as const satisfies Options;

const CI_GUIDE = 'docs/guides/ci.md';

/** The formats of reports, as the service reads them. */
const FORMATS = [
  'junit',
  'ctrf',
  'jest',
  'go-test',
  'playwright',
  'tap',
  'lcov',
  'cobertura',
  'jacoco',
  'clover',
  'go-cover',
  'sarif',
  'trivy',
  'npm-audit',
  'cyclonedx',
  'spdx',
  'html',
];

/** The systems for which `init` knows the lines. */
export const INIT_SYSTEMS = ['github', 'gitlab', 'jenkins', 'circleci', 'buildkite', 'azure', 'other'] as const;
export type InitSystem = (typeof INIT_SYSTEMS)[number];

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** The options of every command. */
export const COMMON_OPTIONS = {
  url: { value: 'URL', help: 'the address of Shipgate; default: SHIPGATE_URL' },
  json: { help: 'write one JSON document to stdout, and everything else to stderr' },
  quiet: { help: 'write results and errors only' },
  'no-color': { help: 'write no colors' },
  help: { help: 'show this text' },
} as const satisfies Options;

/** Every command with its options. The usage, the parser and the shell completion follow from this table. */
export const COMMANDS = {
  init: {
    summary: 'Writes an sdlc.yaml and the lines for CI, to begin with.',
    operands: '',
    actions: [],
    options: {
      ci: {
        value: 'SYSTEM',
        help: `${INIT_SYSTEMS.join(', ')}; default: the one of this folder`,
        choices: INIT_SYSTEMS,
      },
      force: { help: 'replace files that exist' },
    },
    examples: [
      ['shipgate init --url https://shipgate.example', 'writes the files for the CI system that this folder uses'],
      ['shipgate init --ci gitlab', 'writes them for GitLab'],
    ],
    guide: 'docs/guides/onboarding.md',
  },
  upload: {
    summary: 'Uploads reports of tests, coverage and scans as evidence of a release.',
    operands: '[PATTERN…]',
    actions: [],
    options: {
      release: RELEASE,
      repo: REPOSITORY,
      pipeline: { value: 'NAME', help: 'the name of the pipeline; default: from CI' },
      job: { value: 'NAME', help: 'the job with its matrix values; default: from CI' },
      environment: { value: 'NAME', help: 'the environment that was tested; default: ci' },
      kind: {
        value: 'KIND',
        help: 'needed for integration_tests, for e2e_tests, and for security findings in SARIF',
        choices: EVIDENCE_KINDS,
      },
      format: { value: 'FORMAT', help: 'the expected format; any other is rejected', choices: FORMATS },
      commit: { value: 'SHA', help: 'the tested commit; default: from CI' },
      'run-url': { value: 'URL', help: 'the page of the run, the same for all jobs of it; default: from CI' },
      artifact: { value: 'NAME@DIGEST', help: 'state an artifact instead: name@sha256:…' },
      attestation: { value: 'FILE', help: 'the attestation of its build, a bundle of Sigstore' },
      'allow-empty': { help: 'end with 0 if no file matches at all' },
      'allow-committed': { help: 'upload files that git tracks, too' },
      'require-effect': { help: 'end with 1 if the verdict of the release does not rest on the upload now' },
      'dry-run': { help: 'read the files as Shipgate does, show what would be uploaded, and upload nothing' },
    },
    examples: [
      ['shipgate upload junit.xml coverage/lcov.info', 'uploads two reports for the release of this branch'],
      ["shipgate upload 'build/**/TEST-*.xml' --kind integration_tests", 'uploads all files of a pattern'],
      ['shipgate upload --artifact api@sha256:… --attestation bundle.json', 'states an artifact with its provenance'],
      [
        'shipgate upload junit.xml --dry-run --release v1.4.0 --repo acme/payments',
        'shows what would be uploaded and what would be rejected, without a network',
      ],
    ],
    guide: `${CI_GUIDE}#upload-evidence-post-apievidenceupload`,
  },
  gate: {
    summary: 'Checks whether a release may be deployed. Ends with 0 only if it may be deployed.',
    operands: '',
    actions: [],
    options: {
      release: RELEASE,
      repo: REPOSITORY,
      sha: { value: 'SHA', help: 'the commit that would be deployed; default: from CI' },
      'any-sha': { help: 'check the candidate, with any commit' },
      environment: { value: 'NAME', help: 'the environment of the deployment; default: the target of the policy' },
      wait: {
        value: 'DURATION',
        help: 'wait until the gate opens, at most this long: 30s, 15m, 6h',
        choices: ['30s', '15m', '1h', '6h'],
      },
      digest: DIGEST,
      statement: { value: 'FILE', help: 'write the signed answer, which others can verify without Shipgate' },
    },
    examples: [
      ['shipgate gate --wait 15m && ./deploy.sh', 'deploys the release of this branch when its gate opens'],
      ['shipgate gate --release v1.4.0 --any-sha', 'shows why v1.4.0 cannot be deployed'],
      ['shipgate gate --environment staging && ./deploy.sh', 'deploys to an environment before the target'],
    ],
    guide: `${CI_GUIDE}#check-the-gate-get-apimilestonescheck`,
  },
  deploy: {
    summary: 'Runs a command if the gate is open, and reports the deployment. Ends with the exit code of the command.',
    operands: '-- COMMAND…',
    actions: [],
    options: {
      environment: ENVIRONMENT,
      release: RELEASE,
      repo: REPOSITORY,
      ...DEPLOYED_COMMIT,
      digest: DIGEST,
      id: { value: 'ID', help: 'the id of the deployment; default: a new one' },
      'run-url': RUN_URL,
    },
    examples: [
      [
        'shipgate deploy --environment production -- ./deploy.sh',
        'deploys the release of this branch if its gate is open',
      ],
      [
        'shipgate deploy --environment staging -- kubectl apply -f app.yaml',
        'deploys to another environment of the policy',
      ],
    ],
    guide: `${CI_GUIDE}#deploy`,
  },
  deployment: {
    summary: 'Reports the start or the end of a deployment that other steps make.',
    operands: 'start | finish',
    actions: ['start', 'finish'],
    options: {
      environment: ENVIRONMENT,
      id: { value: 'ID', help: 'the id of the deployment; default: the one of this job' },
      status: {
        value: 'STATUS',
        help: 'how it ended: succeeded, failed or cancelled',
        choices: ['succeeded', 'failed', 'cancelled'],
      },
      release: RELEASE,
      repo: REPOSITORY,
      ...DEPLOYED_COMMIT,
      digest: DIGEST,
      'run-url': RUN_URL,
    },
    examples: [
      ['shipgate deployment start --environment production', 'prints the id, and ends with 1 if the gate is closed'],
      [
        'shipgate deployment finish --environment production --id ID --status succeeded',
        'reports that the deployment succeeded',
      ],
    ],
    guide: `${CI_GUIDE}#deploy`,
  },
  running: {
    summary: 'States which artifacts run in an environment now.',
    operands: '[NAME@DIGEST…]',
    actions: [],
    options: {
      environment: { value: 'NAME', help: 'the environment' },
      repo: REPOSITORY,
      nothing: { help: 'state that nothing runs there' },
    },
    examples: [['shipgate running --environment production api@sha256:…', 'replaces what was stated before']],
    guide: `${CI_GUIDE}#deploy`,
  },
  release: {
    summary: 'Lists, shows and starts releases in the name of a user, and shows how they were approved.',
    operands: 'list | show VERSION | approval VERSION | start VERSION',
    actions: ['list', 'show', 'approval', 'start'],
    options: {
      repo: REPOSITORY,
      search: { value: 'TEXT', help: 'list only releases whose version or repository contains this' },
      outcome: {
        value: 'OUTCOME',
        help: 'list only blocked, needs_approval, ready_to_deploy or in_progress',
        choices: ['blocked', 'needs_approval', 'ready_to_deploy', 'in_progress'],
      },
      sort: {
        value: 'ORDER',
        help: 'list by urgency (blocked ones first, then by due day), due, repository, or updated, the default',
        choices: ['updated', 'urgency', 'due', 'repository'] satisfies readonly ReleaseOrder[],
      },
    },
    examples: [
      ['shipgate release list --outcome blocked --sort due', 'lists the blocked releases of the workspace by due day'],
      ['shipgate release show v1.4.0 --repo acme/payments', 'shows what is met and who must act'],
      [
        'shipgate release approval v1.4.0 --repo acme/payments',
        'shows the decision that opened the gate, and what it rests on',
      ],
    ],
    guide: 'docs/guides/releases.md',
  },
  policy: {
    summary: 'Checks an sdlc.yaml, or prints its JSON schema.',
    operands: 'check [FILE] | schema',
    actions: ['check', 'schema'],
    options: POLICY_OPTIONS,
    examples: [
      ['shipgate policy check', 'checks sdlc.yaml in this folder, without a network'],
      ['shipgate policy check --remote', 'checks the policy in effect for the commit of the job'],
      ['shipgate policy schema > sdlc.schema.json', 'saves the schema for an editor'],
    ],
    guide: 'docs/guides/admin.md#the-policy-sdlcyaml',
  },
  lint: {
    summary: 'Checks an sdlc.yaml, as `policy check` does.',
    operands: '[FILE]',
    actions: [],
    options: POLICY_OPTIONS,
    examples: [['shipgate lint', 'checks sdlc.yaml in this folder, without a network']],
    guide: 'docs/guides/admin.md#the-policy-sdlcyaml',
  },
  'verify-pack': {
    summary: 'Verifies an audit pack without network and database.',
    operands: 'PACK.zip',
    actions: [],
    options: {
      keys: { value: 'FILE', help: 'the keys of the service, from a source that you trust' },
      'any-signer': { help: 'end with 0 although the signer is unknown' },
    },
    examples: [['shipgate verify-pack v1.4.0.zip --keys keys.json', 'verifies the bytes and the signer of a pack']],
    guide: 'docs/guides/auditors.md',
  },
  'verify-statement': {
    summary: 'Verifies a signed statement about the gate without a network.',
    operands: 'STATEMENT.json',
    actions: [],
    options: {
      key: { value: 'FILE', help: 'the keys of the service, as a key set or in PEM, from a source that you trust' },
      digest: { value: 'DIGEST', help: 'the artifact that would be deployed: sha256:…' },
      commit: { value: 'SHA', help: 'the commit that would be deployed' },
      resource: { value: 'URI', help: 'the environment of the repository: URL/repositories/ID/environments/NAME' },
      verifier: { value: 'URL', help: 'the address of Shipgate in the statement' },
      at: { value: 'TIME', help: 'the time of the check in UTC, for an audit; default: now' },
    },
    examples: [
      [
        'shipgate verify-statement s.json --key keys.json --digest sha256:… --resource URI --verifier https://shipgate.example',
        'ends with 0 if the gate was open for this artifact and the statement has not expired',
      ],
    ],
    guide: 'docs/guides/statements.md',
  },
  doctor: {
    summary: 'Checks the connection, the clock and the credential, and reports how to fix problems.',
    operands: '',
    actions: [],
    options: { repo: REPOSITORY, commit: { value: 'SHA', help: 'a commit of the repository; default: from CI' } },
    examples: [['shipgate doctor --repo acme/payments', 'checks all that an upload and the gate need']],
    guide: `${CI_GUIDE}#the-command-line`,
  },
  login: {
    summary: 'Stores a personal key on this computer, for the commands that act in the name of a user.',
    operands: '',
    actions: [],
    options: {},
    examples: [['shipgate login --url https://shipgate.example', 'asks for the key, and checks it']],
    guide: 'docs/guides/releases.md',
  },
  logout: {
    summary: 'Removes the stored personal key from this computer.',
    operands: '',
    actions: [],
    options: {},
    examples: [['shipgate logout', 'removes the key']],
    guide: 'docs/guides/releases.md',
  },
  version: {
    summary: 'Prints the version.',
    operands: '',
    actions: [],
    options: {},
    examples: [['shipgate version --json', 'prints the versions of the tool and of Node for programs']],
    guide: `${CI_GUIDE}#the-command-line`,
  },
  completion: {
    summary: 'Prints the completion script of a shell.',
    operands: 'bash | zsh | fish',
    actions: SHELLS,
    options: {},
    examples: [['source <(shipgate completion bash)', 'completes commands, options and values in this shell']],
    guide: `${CI_GUIDE}#the-command-line`,
  },
} as const satisfies Readonly<Record<string, CommandDescription>>;

export type CommandName = keyof typeof COMMANDS;

export const isCommandName = (name: string): name is CommandName => Object.hasOwn(COMMANDS, name);

/** Whether the command runs the command after `--`. */
export const runsCommand = (name: CommandName): boolean => COMMANDS[name].operands.includes('--');

import { readFileSync } from 'node:fs';
import { starterPolicy } from '../../src/policy-document/starter-policy.js';

const [, guideExample = ''] = /```yaml\n(.*?)```/s.exec(readFileSync('docs/guides/admin.md', 'utf8')) ?? [];
const starter = starterPolicy('payments', 'https://shipgate.example/api/schemas/sdlc.v1.json');

/** Valid documents: those that users start with, policies of different ways to release, and unusual notations. */
export const VALID_POLICIES: readonly (readonly [string, string])[] = [
  ['only the version', 'version: v1'],
  ['the example of the guide', guideExample],
  ['the starter', starter],
  ['the starter with every default stated', starter.replaceAll(/^#(?=[a-z]| {2})/gm, '')],
  [
    'a library that releases from its default branch',
    `version: v1
name: "@acme/ledger"
release_naming:
  format: semver
stages:
  testing:
    required_checks:
      - build (20)
      - build (22)
      - name: CodeQL
        app: github-advanced-security
  evidencing:
    required_evidence:
      - kind: unit_tests
        min_tests: 50
      - kind: coverage
quality_gates:
  coverage:
    min_line_percent: 72.5
    max_drop: 0.5
`,
  ],
  [
    'a service with release branches, two reviewers and a frozen year end',
    `version: v1
stages:
  planning: { require_issues: true }
  development:
    branch: develop
    exempt_labels: [bug, 'good first issue', "type: docs"]
  testing: { branch_pattern: 'releases/*', deploy_target: staging }
  evidencing:
    required_evidence: &tests
      - { kind: unit_tests, environment: ci }
      - { kind: integration_tests, environment: staging, min_tests: 20 }
    required_reviewers: { min_approvals: 2, teams: [release-managers, sre], exclude_release_authors: true }
freezes:
  - { from: 2026-12-20, to: 2027-01-02, reason: "Year end: no deployments" }
  - { from: 2028-02-29, to: 2028-02-29 }
`,
  ],
  [
    'a calendar release that is merged as its approval and promoted',
    `version: v1
release_naming: { format: calver }
evidence_events: [repository_dispatch, workflow_call]
stages:
  evidencing: { required_reviewers: { min_approvals: 0 } }
  deployment: { target: Production EU, promotion: auto }
`,
  ],
  [
    'limits for findings and a hold that rejects',
    `version: v1
hotfix: { branch_pattern: '{hot,}fix-**/*' }
quality_gates:
  sast_scan: { max_critical: 0, max_high: 0, max_medium: 10, max_low: 100 }
  security: { max_critical: 0 }
stages:
  deployment:
    requires_evidence_approval: true
    hold: { for: 29d, when_closed: reject }
`,
  ],
  [
    'soaks of the longest and the shortest time, and evidence after a deployment',
    `version: v1
stages:
  development: { deploy_target: dev, soak: 0s }
  testing: { deploy_target: staging, soak: 2592000s }
  evidencing: { required_evidence: [{ kind: e2e_tests, after_deployment: true }, { kind: sbom, after_deployment: false }] }
`,
  ],
  [
    'aliases of one list',
    `version: v1
stages:
  development: { required_checks: &checks [build, lint] }
  testing: { required_checks: *checks }
`,
  ],
  ['JSON', '{ "version": "v1", "name": "payments", "stages": { "planning": { "require_issues": true } } }'],
  ['a byte order mark and CRLF', '\uFEFFversion: v1\r\nname: payments\r\nfreezes: []\r\n'],
  ['a document with its markers', '---\nversion: v1\n...\n'],
  [
    'empty sections and lists',
    'version: v1\nhotfix: {}\nstages: {}\nquality_gates: {}\nfreezes: []\nevidence_events: []\n',
  ],
  ['another script in a name', 'version: v1\nname: 決済サービス\n'],
  ['a long text that is folded', 'version: v1\nname: >-\n  payments\n  of the shop\n'],
];

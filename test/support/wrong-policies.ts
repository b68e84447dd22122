/** Each document with the problems that it must show, as `line:column key message`. */
export const WRONG_POLICIES: readonly (readonly [string, string, readonly string[]])[] = [
  ['nothing', '', ['1:1  The file is empty; it needs at least `version: v1`.']],
  ['only a comment', '# later\n', ['1:1  The file is empty; it needs at least `version: v1`.']],
  ['no mapping', '- version: v1', ['1:1  Must be a mapping of keys, but is a list.']],
  ['no version', 'name: a', ['1:1 version The key version is missing; write `version: v1`.']],
  ['another version', 'version: v2', ['1:10 version Must be v1, but is "v2".']],
  ['a number as version', 'version: 1', ['1:10 version Must be v1, but is 1.']],
  [
    'a misspelt key',
    'version: v1\nstages:\n  testing:\n    requird_checks: [build]',
    ['4:5 stages.testing.requird_checks Unknown key "requird_checks". Did you mean required_checks?'],
  ],
  [
    'a key in another case',
    'version: v1\nqualityGates: {}',
    ['2:1 qualityGates Unknown key "qualityGates". Did you mean quality_gates?'],
  ],
  [
    'a key with hyphens',
    'version: v1\nquality-gates: {}',
    ['2:1 quality-gates Unknown key "quality-gates". Did you mean quality_gates?'],
  ],
  [
    'a key of another section',
    'version: v1\nrequired_checks: [a]',
    ['2:1 required_checks Unknown key "required_checks". It belongs under stages.development or stages.testing.'],
  ],
  [
    'a key that nothing resembles',
    'version: v1\nhotfix: { colour: red }',
    ['2:11 hotfix.colour Unknown key "colour". Allowed keys: branch_pattern.'],
  ],
  [
    'a key named as a property of every object',
    'version: v1\n__proto__: { name: a }\nconstructor: 1',
    ['2:1 __proto__ Unknown key "__proto__".', '3:1 constructor Unknown key "constructor".'],
  ],
  [
    'a merge key',
    'version: v1\nhotfix: { <<: { branch_pattern: a } }',
    ['2:11 hotfix.<< YAML 1.2 has no merge keys; write the keys out.'],
  ],
  ['a key twice', 'version: v1\nname: a\nname: b', ['3:1 name The key occurs twice, first in line 2.']],
  [
    'a section left empty',
    'version: v1\nstages:\n  testing:\n',
    ['3:11 stages.testing Must be a mapping of keys, but is empty; give it a value or leave the key out.'],
  ],
  [
    'yes for true',
    'version: v1\nstages: { planning: { require_issues: yes } }',
    [
      '2:39 stages.planning.require_issues Must be true or false, but is "yes"; YAML 1.2 knows true and false only, without quotes.',
    ],
  ],
  ['a number as a name', 'version: v1\nname: 12', ['2:7 name Must be text, but is 12; put it in quotes.']],
  [
    'text for a flag',
    'version: v1\nstages: { testing: { required_checks: [{ name: e2e, allow_skipped: "yes" }] } }',
    ['2:68 stages.testing.required_checks[0].allow_skipped Must be true or false, but is "yes"'],
  ],
  [
    'text for a list',
    'version: v1\nstages: { testing: { required_checks: build } }',
    ['2:39 stages.testing.required_checks Must be a list, but is "build".'],
  ],
  [
    'a choice that there is not',
    'version: v1\nstages: { deployment: { promotion: automatic } }',
    ['2:36 stages.deployment.promotion Must be one of manual, auto, but is "automatic".'],
  ],
  [
    'a hold that GitHub does not keep',
    'version: v1\nstages: { deployment: { hold: { for: 30d } } }',
    ['2:38 stages.deployment.hold.for The value "30d" must be a time in hours or days of at most 29d, as `24h`.'],
  ],
  [
    'a soak that is too long',
    'version: v1\nstages: { testing: { deploy_target: staging, soak: 31d } }',
    [
      '2:52 stages.testing.soak The value "31d" must be a time in seconds, minutes, hours or days of at most 30d, as `30m`.',
    ],
  ],
  [
    'a soak without its environment',
    'version: v1\nstages: { development: { soak: 0s }, testing: { deploy_target: staging } }',
    ['2:32 stages.development.soak A soak needs the deploy_target of its stage beside it.'],
  ],
  [
    'a soak in the target',
    'version: v1\nstages: { testing: { deploy_target: Live, soak: 1h }, deployment: { target: live } }',
    ['2:49 stages.testing.soak The target opens only after the soak, so a soak in the target never begins.'],
  ],
  [
    'an environment with a capital letter without one lower case',
    'version: v1\nstages: { deployment: { target: "\u0130stanbul" } }',
    [
      '2:33 stages.deployment.target The capital letter "\u0130" has no single lower case, and the case of an environment is ignored. Use another letter.',
    ],
  ],
  [
    'evidence after a deployment to no environment',
    'version: v1\nstages: { evidencing: { required_evidence: [{ kind: e2e_tests, after_deployment: true }] } }',
    [
      '2:82 stages.evidencing.required_evidence[0].after_deployment Evidence after a deployment needs stages.testing.deploy_target.',
    ],
  ],
  [
    'a misspelt choice',
    'version: v1\nrelease_naming: { format: semver-strict }',
    [
      '2:27 release_naming.format Must be one of semver-v-strict, semver, calver, but is "semver-strict" (did you mean semver-v-strict?).',
    ],
  ],
  [
    'too few approvals',
    'version: v1\nstages: { evidencing: { required_reviewers: { min_approvals: -1 } } }',
    ['2:62 stages.evidencing.required_reviewers.min_approvals Must be 0 or more, but is -1.'],
  ],
  [
    'too many per cent',
    'version: v1\nquality_gates: { coverage: { min_line_percent: 101 } }',
    ['2:48 quality_gates.coverage.min_line_percent Must be 100 or less, but is 101.'],
  ],
  [
    'a share of an approval',
    'version: v1\nstages: { evidencing: { required_reviewers: { min_approvals: 1.5 } } }',
    ['2:62 stages.evidencing.required_reviewers.min_approvals Must be a whole number, but is 1.5.'],
  ],
  [
    'no number',
    'version: v1\nquality_gates: { coverage: { max_drop: .nan, min_line_percent: .inf } }',
    [
      '2:40 quality_gates.coverage.max_drop Must be a number, but is NaN.',
      '2:64 quality_gates.coverage.min_line_percent Must be a number, but is Infinity.',
    ],
  ],
  [
    'no tests for evidence of tests',
    'version: v1\nstages: { evidencing: { required_evidence: [{ kind: unit_tests, min_tests: 0 }] } }',
    ['2:76 stages.evidencing.required_evidence[0].min_tests Must be 1 or more, but is 0.'],
  ],
  [
    'tests of what is no test',
    'version: v1\nstages: { evidencing: { required_evidence: [{ kind: sbom, min_tests: 3 }] } }',
    [
      '2:70 stages.evidencing.required_evidence[0].min_tests Only unit_tests, integration_tests, e2e_tests count tests.',
    ],
  ],
  [
    'evidence of no kind',
    'version: v1\nstages:\n  evidencing:\n    required_evidence:\n      - environment: ci',
    ['5:9 stages.evidencing.required_evidence[0].kind The key kind is missing.'],
  ],
  [
    'a check twice',
    'version: v1\nstages: { testing: { required_checks: [a, b, a] } }',
    ['2:39 stages.testing.required_checks Entries 1 and 3 are the same.'],
  ],
  ['an empty name', 'version: v1\nname: ""', ['2:7 name May not be empty.']],
  ['a long name', `version: v1\nname: ${'a'.repeat(101)}`, ['2:7 name Must have 100 characters or fewer.']],
  ['a NUL in a name', 'version: v1\nname: "a\\0b"', ['2:7 name The value "a\uFFFDb" must be one line of text']],
  [
    'half a surrogate pair in a name',
    'version: v1\nname: "a\\uD800"',
    ['2:7 name The value "a\uFFFD" must be one line of text'],
  ],
  [
    'a text that turns direction',
    'version: v1\nname: "a\\u202Eb"',
    ['2:7 name The value "a\uFFFDb" must be one line of text'],
  ],
  [
    'a team with its organization',
    'version: v1\nstages: { evidencing: { required_reviewers: { teams: [acme/managers] } } }',
    ['2:55 stages.evidencing.required_reviewers.teams[0] The value "acme/managers" must be a slug'],
  ],
  [
    'a full ref as branch',
    'version: v1\nstages: { development: { branch: "release/*" } }',
    ['2:34 stages.development.branch The value "release/*" must be the name of a branch'],
  ],
  [
    'a bracket in a pattern',
    'version: v1\nhotfix: { branch_pattern: "hotfix/[ab]" }',
    ['2:27 hotfix.branch_pattern The value "hotfix/[ab]" must be a pattern of branch names'],
  ],
  [
    'a day that there is not',
    'version: v1\nfreezes: [{ from: 2026-02-29, to: 2026-03-01 }]',
    ['2:19 freezes[0].from Must be a day of the calendar as YYYY-MM-DD, but is "2026-02-29".'],
  ],
  [
    'a freeze that ends before it begins',
    'version: v1\nfreezes:\n  - from: 2026-12-20\n    to: 2026-12-19',
    ['4:9 freezes[0].to The freeze ends before it begins, on 2026-12-20.'],
  ],
  [
    'a tag',
    'version: !!str v1\nname: !secret a',
    ['1:16 version Tags are not allowed: tag:yaml.org,2002:str.', '2:15 name Tags are not allowed: !secret.'],
  ],
  ['an alias of nothing', 'version: *v', ['1:10 version No value before this has the anchor "v".']],
  [
    'a value within itself',
    'version: v1\nfreezes: &a [*a]',
    ['2:14 freezes[0] No value before this has the anchor "a".'],
  ],
  [
    'another YAML',
    '%YAML 1.1\n---\nversion: v1\nstages: { planning: { require_issues: yes } }',
    ['1:1  The file must be YAML 1.2; leave the directive out.'],
  ],
  ['two documents', 'version: v1\n---\nversion: v1', ['2:1  The file holds more than one document; keep the first.']],
  [
    'a tab as indentation',
    'version: v1\nstages:\n\ttesting: {}',
    ['3:1  A tab indents this line; YAML is indented with spaces.'],
  ],
  [
    'a bracket left open',
    'version: v1\nfreezes: [',
    ['2:11  The indentation does not fit, or a bracket is not closed.'],
  ],
  [
    'a lone carriage return',
    'version: v1\rname: a',
    ['1:12  A carriage return stands alone; end lines with LF or CRLF.'],
  ],
  ['a NUL', 'version: v1\nname: a\0b', ['2:8  The invisible character U+0000 is not allowed here.']],
  ['half a surrogate pair', 'version: v1\nname: \uD800', ['2:7  The invisible character U+D800 is not allowed here.']],
  [
    'a byte order mark in the middle',
    'version: v1\n\uFEFFname: a',
    ['2:1  The invisible character U+FEFF is not allowed here.'],
  ],
];

import { excerpt } from './bounded-list.js';
import type { JsonObject, JsonReader } from './json-document.js';
import type { JsonPath } from './json-scanner.js';
import type { Severity } from './severity-counter.js';

/** SARIF 2.1.0, § 3.27.10. */
export const SARIF_LEVELS = ['none', 'note', 'warning', 'error'] as const;
export type SarifLevel = (typeof SARIF_LEVELS)[number];

const BY_LEVEL: Readonly<Record<SarifLevel, Severity | null>> = {
  error: 'high',
  warning: 'medium',
  note: 'low',
  none: null,
};

/**
 * Returns the severity by the ranges of `security-severity` in GitHub code scanning, or by the level without a score. Null
 * for the level `none`.
 */
export function toSeverity(score: number | null, level: SarifLevel): Severity | null {
  if (score === null) return BY_LEVEL[level];
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  return score >= 4 ? 'medium' : 'low';
}

/** Each level is looked up together with all before it, so without a limit a long id would take quadratic time. */
const MAX_LEVELS = 100;

/** The descriptor of a rule with its path in the document. */
export interface SarifRule {
  readonly descriptor: JsonObject;
  readonly path: JsonPath;
}

interface Component {
  readonly rules: readonly SarifRule[];
  readonly byId: ReadonlyMap<string, SarifRule>;
}

/** The rules of a run, of its driver and its extensions. Looks them up by SARIF 2.1.0, § 3.27.7 and § 3.52. */
export class SarifRules {
  private readonly driver: Component;
  private readonly extensions: readonly Component[];
  /** The rules of all extensions. For a repeated id the first rule. */
  private readonly extended = new Map<string, SarifRule>();

  constructor(
    private readonly json: JsonReader,
    tool: JsonObject,
    path: JsonPath,
  ) {
    this.driver = this.component(tool['driver'], [...path, 'driver']);
    const extensionsPath = [...path, 'extensions'];
    this.extensions = json
      .optionalArray(tool['extensions'], extensionsPath)
      .map((extension, index) => this.component(extension, [...extensionsPath, index]));
    for (const { byId } of this.extensions) {
      for (const [id, rule] of byId) if (!this.extended.has(id)) this.extended.set(id, rule);
    }
  }

  /** Returns the rule of a result; null if the run does not describe it, which SARIF allows. */
  findRule(result: JsonObject, path: JsonPath): SarifRule | null {
    const reference = this.json.optionalObject(result['rule'], [...path, 'rule']);
    const componentIndex = this.json.optionalObject(reference['toolComponent'], [...path, 'rule', 'toolComponent'])[
      'index'
    ];
    const component =
      this.at([...path, 'rule', 'toolComponent', 'index'], this.extensions, componentIndex) ?? this.driver;
    const indexed =
      this.at([...path, 'ruleIndex'], component.rules, result['ruleIndex']) ??
      this.at([...path, 'rule', 'index'], component.rules, reference['index']);
    if (indexed !== null) return indexed;
    const id =
      this.json.optionalString(result['ruleId'], [...path, 'ruleId']) ??
      this.json.optionalString(reference['id'], [...path, 'rule', 'id']);
    return id === undefined ? null : this.named(id, component, path);
  }

  /** Returns the level of the rule's default configuration. */
  defaultLevel({ descriptor, path }: SarifRule): SarifLevel | undefined {
    const configurationPath = [...path, 'defaultConfiguration'];
    const configuration = this.json.optionalObject(descriptor['defaultConfiguration'], configurationPath);
    return this.json.readOptionalChoice(configuration['level'], [...configurationPath, 'level'], SARIF_LEVELS);
  }

  /** Finds a rule by id. An id may be more specific than its rule's: `CA2101/1` belongs to `CA2101` (§ 3.27.5). */
  private named(id: string, component: Component, path: JsonPath): SarifRule | null {
    let name = id;
    for (let level = 0; level < MAX_LEVELS && name !== ''; level += 1) {
      const found = component.byId.get(name) ?? this.extended.get(name);
      if (found !== undefined) return found;
      name = name.slice(0, Math.max(name.lastIndexOf('/'), 0));
    }
    if (name === '') return null;
    throw this.json.errorAt(path, `the id of its rule has more than ${MAX_LEVELS} levels`);
  }

  /** Returns the entry at an index; null if the index is missing or -1, which means "none" in SARIF. */
  private at<T>(path: JsonPath, entries: readonly T[], index: unknown): T | null {
    if (index === undefined || index === -1) return null;
    const entry = typeof index === 'number' ? entries[index] : undefined;
    if (entry === undefined)
      throw this.json.errorAt(path, 'an index into the rules or extensions of the run is expected');
    return entry;
  }

  private component(value: unknown, path: JsonPath): Component {
    const rulesPath = [...path, 'rules'];
    const rules = this.json.optionalArray(this.json.object(value, path)['rules'], rulesPath).map((rule, index) => ({
      descriptor: this.json.object(rule, [...rulesPath, index]),
      path: [...rulesPath, index],
    }));
    const byId = new Map<string, SarifRule>();
    for (const rule of rules) byId.set(this.json.string(rule.descriptor['id'], [...rule.path, 'id']), rule);
    return { rules, byId };
  }
}

const MESSAGE_LENGTH = 300;

/** The result of one process of a run. */
interface InvocationReport {
  /** The failure as the end of a sentence; null if there is none. */
  readonly failure: string | null;
  /** The errors during the run, because of which findings may be missing (SARIF 2.1.0, § 3.20.21). */
  readonly errors: readonly string[];
}

/**
 * Reads an invocation (SARIF 2.1.0, § 3.20). A process that did not start or was killed failed, regardless of its stated result.
 */
export function readInvocation(invocation: JsonObject, path: JsonPath, json: JsonReader): InvocationReport {
  const { executionSuccessful } = invocation;
  if (typeof executionSuccessful !== 'boolean') {
    throw json.errorAt([...path, 'executionSuccessful'], 'true or false is expected');
  }
  const start = json.optionalString(invocation['processStartFailureMessage'], [...path, 'processStartFailureMessage']);
  const signal = json.optionalString(invocation['exitSignalName'], [...path, 'exitSignalName']);
  const signalNumber = json.optionalCount(invocation['exitSignalNumber'], [...path, 'exitSignalNumber']) ?? 0;
  const failures = [
    ...(executionSuccessful ? [] : ['reports that its run did not succeed']),
    ...(start ? [`did not start: ${excerpt(start, MESSAGE_LENGTH)}`] : []),
    ...(signal ? [`was ended by ${excerpt(signal, MESSAGE_LENGTH)}`] : []),
    ...(signalNumber > 0 ? [`was ended by signal ${signalNumber}`] : []),
  ];
  return { failure: failures[0] ?? null, errors: readErrors(invocation, path, json) };
}

function readErrors(invocation: JsonObject, path: JsonPath, json: JsonReader): readonly string[] {
  return ['toolExecutionNotifications', 'toolConfigurationNotifications'].flatMap((key) =>
    json.optionalArray(invocation[key], [...path, key]).flatMap((entry, index) => {
      const entryPath = [...path, key, index];
      const notification = json.object(entry, entryPath);
      const level = json.readOptionalChoice(notification['level'], [...entryPath, 'level'], SARIF_LEVELS);
      if (level !== 'error') return [];
      const message = json.optionalObject(notification['message'], [...entryPath, 'message']);
      const text = json.optionalString(message['text'] ?? message['id'], [...entryPath, 'message', 'text']);
      return [excerpt(text ?? 'no message', MESSAGE_LENGTH)];
    }),
  );
}

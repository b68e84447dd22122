import { parse } from 'yaml';
import { WorkflowTemplatesService } from '../../src/features/repositories/workflow-files/workflow-templates.service.js';
import { readTestEnvironment } from '../support/read-test-environment.js';

/** A step in the workflow file. */
export interface StatedStep {
  readonly name?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string | boolean>>;
  readonly run?: string;
  readonly shell?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface StatedJob {
  readonly if?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly steps: readonly StatedStep[];
}

interface StatedWorkflow {
  readonly permissions?: unknown;
  readonly env?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, StatedJob>>;
}

/** A managed workflow file, as text and parsed. */
export interface WorkflowDocument {
  readonly path: string;
  readonly text: string;
  readonly stated: StatedWorkflow;
}

/** The actions of the files in the form with actions. */
export const CI_ACTION = 'acme/shipgate@0123456789abcdef0123456789abcdef01234567#v0.1.0';

/** Both files as a service with this address publishes them, with shell scripts or with the actions of `CI_ACTION`. */
export const publishedWorkflows = (variables: Readonly<Record<string, string>> = {}): readonly WorkflowDocument[] =>
  workflowsOf({ BASE_URL: 'https://shipgate.example', ...variables })
    .files()
    .map(({ path, content }) => documentOf(path, content));

/** The service that renders the files, with the settings of a test. */
export const workflowsOf = (variables: Readonly<Record<string, string>>): WorkflowTemplatesService =>
  new WorkflowTemplatesService(readTestEnvironment(variables));

export const documentOf = (path: string, text: string): WorkflowDocument => ({
  path,
  text,
  stated: parse(text) as StatedWorkflow,
});

import { parse } from 'yaml';
import { WorkflowTemplatesService } from '../../src/features/repositories/workflow-files/workflow-templates.service.js';
import { readTestEnvironment } from '../support/read-test-environment.js';

/** A step as the workflow file states it. */
export interface StatedStep {
  readonly name?: string;
  readonly uses?: string;
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

/** A managed workflow file, as text and as what it states. */
export interface WorkflowDocument {
  readonly path: string;
  readonly text: string;
  readonly stated: StatedWorkflow;
}

/** Both files as they are published from an address. */
export const publishedWorkflows = (baseUrl = 'https://shipgate.example'): readonly WorkflowDocument[] =>
  new WorkflowTemplatesService(readTestEnvironment({ BASE_URL: baseUrl })).files().map(({ path, content }) => ({
    path,
    text: content,
    stated: parse(content) as StatedWorkflow,
  }));

// Writes the current workflow files, in both forms, to the fixtures of published revisions.
import '../../test/support/typescript.mjs';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const { WorkflowTemplatesService } =
  await import('../../src/features/repositories/workflow-files/workflow-templates.service.ts');

const fixtures = fileURLToPath(new URL('../../test/fixtures/published-workflows', import.meta.url));
// As test/workflows/workflow-document.ts publishes them.
const address = { baseUrl: 'https://shipgate.example', oidcAudience: 'shipgate' };
const action = { repository: 'acme/shipgate', commit: '0123456789abcdef'.repeat(3).slice(0, 40), version: 'v0.1.0' };

for (const ciAction of [null, action]) {
  const workflows = new WorkflowTemplatesService({ ...address, ciAction });
  const folder = path.join(fixtures, workflows.revision);
  mkdirSync(folder, { recursive: true });
  for (const { path: file, content } of workflows.files())
    writeFileSync(path.join(folder, path.basename(file)), content);
}

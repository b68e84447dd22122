import { Module } from '@nestjs/common';
import { FirstReadingReader } from './first-reading.reader.js';
import { InstallationTiers } from './installation-tiers.reader.js';
import { WorkspaceReader } from './workspace.reader.js';

/** Which workspaces there are, for whoever must know before it acts in one. Expects the app to provide the database. */
@Module({
  providers: [FirstReadingReader, InstallationTiers, WorkspaceReader],
  exports: [FirstReadingReader, InstallationTiers, WorkspaceReader],
})
export class WorkspacesModule {}

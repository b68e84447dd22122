import { Module } from '@nestjs/common';
import { InstallationTiers } from './installation-tiers.reader.js';
import { WorkspaceReader } from './workspace.reader.js';

/** Which workspaces there are, for whoever must know before it acts in one. Expects the app to provide the database. */
@Module({ providers: [InstallationTiers, WorkspaceReader], exports: [InstallationTiers, WorkspaceReader] })
export class WorkspacesModule {}

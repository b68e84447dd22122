import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { BootstrapPursuits } from './setup-state/bootstrap-pursuits.recorder.js';
import { RepositorySetups } from './setup-state/repository-setups.reader.js';
import { SetupProgress } from './setup-state/setup-progress.recorder.js';

/** How far the set-ups of repositories went, for whoever takes part in one. It knows nobody who does. */
@Module({
  imports: [EventsModule],
  providers: [BootstrapPursuits, RepositorySetups, SetupProgress],
  exports: [BootstrapPursuits, RepositorySetups, SetupProgress],
})
export class SetupStateModule {}

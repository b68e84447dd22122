import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { ObservationsModule } from '../observations/observations.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ReposModule } from '../repos/repos.module.js';
import { EvidenceController } from './evidence.controller.js';
import { EvidenceRepository } from './evidence.repository.js';
import { EvidenceUploads } from './evidence-uploads.service.js';
import { UploadDestinations } from './upload-destinations.service.js';

@Module({
  imports: [EventsModule, ObservationsModule, ReleasesModule, ReposModule],
  controllers: [EvidenceController],
  providers: [EvidenceRepository, EvidenceUploads, UploadDestinations],
})
export class EvidenceModule {}

import { Module } from '@nestjs/common';
import { JsonListStream } from '../../http/pagination/json-list-stream.js';
import { VisibleReleases } from '../overrides/visible-releases.reader.js';
import { DecisionsController } from './decisions.controller.js';
import { Decisions } from './decisions.service.js';
import { StoredDecisionsReader } from './stored-decisions.reader.js';

@Module({
  controllers: [DecisionsController],
  providers: [Decisions, JsonListStream, StoredDecisionsReader, VisibleReleases],
})
export class DecisionsModule {}

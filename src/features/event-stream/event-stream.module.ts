import { Module } from '@nestjs/common';
import { SessionReader } from '../../auth/session/sessions.repository.js';
import { EventsController } from './event-stream.controller.js';
import { EventStreams } from './event-streams.service.js';
import { EventsReader } from './events.queries.js';
import { EventNotices } from './notification-listener.js';

@Module({
  controllers: [EventsController],
  providers: [EventNotices, EventStreams, EventsReader, SessionReader],
})
export class EventStreamModule {}

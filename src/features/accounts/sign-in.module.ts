import { Module } from '@nestjs/common';
import { SessionReader } from '../../auth/session/session.reader.js';
import { SessionsRepository } from '../../auth/session/sessions.repository.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { MembersModule } from './members.module.js';
import { PeopleModule } from './people.module.js';
import { LoginAttemptsRepository } from './sign-in/login-attempts.repository.js';
import { SessionController } from './sign-in/session.controller.js';
import { Sessions } from './sign-in/sessions.service.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { SignIn } from './sign-in/sign-in.service.js';
import { SignedInAdmission } from './sign-in/signed-in-admission.service.js';

@Module({
  imports: [MembersModule, PeopleModule, WorkspacesModule],
  controllers: [SignInController, SessionController],
  providers: [LoginAttemptsRepository, SessionReader, Sessions, SessionsRepository, SignedInAdmission, SignIn],
  exports: [Sessions],
})
export class SignInModule {}

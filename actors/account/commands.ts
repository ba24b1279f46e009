import type * as P from '../../proto/gen/types.js';

type Done = P.AccountEmpty;

/** Everything one can ask of an account actor. */
export interface AccountCommands {
  register: { in: P.AccountRegister; out: Done };
  confirmEmail: { in: P.AccountConfirmEmail; out: Done };
  credentials: { in: Done; out: P.AccountCredentials };
  changePassword: { in: P.AccountChangePassword; out: Done };
  issueToken: { in: P.AccountIssueToken; out: Done };
  revokeToken: { in: P.AccountRevokeToken; out: Done };
  grantCode: { in: P.AccountGrantCode; out: Done };
  exchangeCode: { in: P.AccountExchangeCode; out: P.AccountExchanged };
  updateProfile: { in: P.AccountUpdateProfile; out: P.AccountProfile };
  follow: { in: P.AccountFollow; out: P.AccountRelation };
  unfollow: { in: P.AccountUnfollow; out: P.AccountRelation };
  answerFollow: { in: P.AccountAnswerFollow; out: Done };
  addFollower: { in: P.AccountAddFollower; out: P.AccountFollowerAnswer };
  removeFollower: { in: P.AccountRemoveFollower; out: Done };
  authorizeFollow: { in: P.AccountAuthorizeFollow; out: Done };
  rejectFollow: { in: P.AccountRejectFollow; out: Done };
  followRequests: { in: Done; out: P.AccountFollowRequests };
  block: { in: P.AccountBlock; out: P.AccountRelation };
  unblock: { in: P.AccountUnblock; out: P.AccountRelation };
  receiveBlock: { in: P.AccountReceiveBlock; out: Done };
  relations: { in: P.AccountRelationsOf; out: P.AccountRelations };
  sources: { in: Done; out: P.AccountSources };
  post: { in: P.AccountPost; out: P.AccountPostedReply };
  countStatus: { in: P.AccountCountStatus; out: Done };
  notify: { in: P.AccountNotify; out: Done };
  dismissNotification: { in: P.AccountDismissNotification; out: Done };
  clearNotifications: { in: Done; out: Done };
}

import { useRouteParams } from '@/routing/route-params';
import { PageFrame } from '@/shell/page-frame';
import { AccessPanel } from '../components/access-panel';
import { ProfileForm } from '../components/profile-form';
import { ResetLinkPanel } from '../components/reset-link-panel';
import { SessionsPanel } from '../components/sessions-panel';
import { UserFacts } from '../components/user-facts';
import { UserHeader } from '../components/user-header';
import { UserSkeleton } from '../components/user-skeleton';
import { UserState } from '../components/user-state';
import { useUser } from '../use-user';

export default function ViewUserPage() {
  const { id } = useRouteParams('viewUser');
  const result = useUser(id);
  return (
    <PageFrame>
      <UserState result={result} loading={<UserSkeleton />}>
        {(user) => (
          <>
            <UserHeader user={user} />
            {/* Another account is another form, and another link. */}
            <div
              key={user.id}
              className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_340px]"
            >
              <div className="flex min-w-0 flex-col gap-4">
                <UserFacts user={user} />
                <ProfileForm user={user} onReload={result.retry} />
                <SessionsPanel user={user} />
              </div>
              <div className="flex min-w-0 flex-col gap-4">
                <ResetLinkPanel user={user} />
                <AccessPanel user={user} />
              </div>
            </div>
          </>
        )}
      </UserState>
    </PageFrame>
  );
}

import { PageFrame } from '@/shell/page-frame';
import { AccountFacts } from '../components/account-facts';
import { PasswordPanel } from '../components/password-panel';
import { SessionsPanel } from '../components/sessions-panel';

export default function AccountPage() {
  return (
    <PageFrame>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_372px]">
        <div className="flex min-w-0 flex-col gap-4">
          <AccountFacts />
          <SessionsPanel />
        </div>
        <PasswordPanel />
      </div>
    </PageFrame>
  );
}

import { KeyRound } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RowActions } from '@/list/resource';
import { ResourceList } from '@/list/resource-list';
import { ROW_LINK } from '@/list/use-list-shortcuts';
import { ResetLinkDialog } from '@/reset-links/reset-link-dialog';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import type { DriverAccountRow } from '../queries';
import { driverAccountsResource } from '../resource';

export default function DriverResetPasswordPage() {
  const { t } = useTranslation('driver-accounts');
  const [linkFor, setLinkFor] = useState<DriverAccountRow>();
  const rowActions = useMemo(
    (): RowActions<DriverAccountRow> => ({
      width: 200,
      onCard: 'below',
      render: ({ status, username, ...rest }) => (
        <Button
          // A row has nothing else to open, so the keys that walk over rows walk over these.
          {...{ [ROW_LINK]: '' }}
          size={28}
          icon={KeyRound}
          disabled={status === 'disabled'}
          title={status === 'disabled' ? t('blocked') : undefined}
          aria-label={t('createFor', { username })}
          onClick={() => setLinkFor({ status, username, ...rest })}
        >
          {t('create')}
        </Button>
      ),
    }),
    [t],
  );
  return (
    <PageFrame fill>
      <ResourceList resource={driverAccountsResource} rowActions={rowActions} />
      {linkFor && (
        <ResetLinkDialog account={linkFor} kind="pin" onClose={() => setLinkFor(undefined)} />
      )}
    </PageFrame>
  );
}

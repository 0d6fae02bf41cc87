import { Smartphone, UserPlus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { WRITE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import type { RowActions } from '@/list/resource';
import { ResourceList } from '@/list/resource-list';
import { useNarrowScreen } from '@/list/use-narrow-screen';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { DriverMenu } from '../components/driver-menu';
import { Pairing } from '../components/pairing';
import { StatusDialog } from '../components/status-dialog';
import type { DriverRow } from '../queries';
import { driversResource } from '../resource';

const editHref = ({ driverId }: DriverRow) => routes.editDriver({ driverId });

export default function DriversPage() {
  const { t } = useTranslation('drivers');
  const { hasRole } = useAuth();
  const narrow = useNarrowScreen();
  const [statusOf, setStatusOf] = useState<DriverRow>();
  const [isPairing, setPairing] = useState(false);
  const mayWrite = hasRole(WRITE_ROLES);
  const rowActions = useMemo(
    (): RowActions<DriverRow> => ({
      width: 44,
      onCard: 'beside',
      render: (driver) => <DriverMenu driver={driver} onStatus={setStatusOf} />,
    }),
    [],
  );
  const create = mayWrite && (
    <Button asChild variant="primary" icon={UserPlus}>
      <Link to={routes.newDriver()}>{t(narrow ? 'createShort' : 'create')}</Link>
    </Button>
  );
  return (
    <PageFrame fill>
      {mayWrite && <Pairing isOpen={isPairing} onOpenChange={setPairing} />}
      <ResourceList
        resource={driversResource}
        rowActions={rowActions}
        {...(mayWrite && { editHref })}
        action={
          mayWrite && (
            <>
              <Button
                icon={Smartphone}
                aria-expanded={isPairing}
                aria-label={t('setup.verb')}
                onClick={() => setPairing(true)}
              >
                {!narrow && t('setup.verb')}
              </Button>
              {create}
            </>
          )
        }
        emptyAction={create}
      />
      {statusOf && <StatusDialog driver={statusOf} onClose={() => setStatusOf(undefined)} />}
    </PageFrame>
  );
}

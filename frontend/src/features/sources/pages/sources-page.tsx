import { Plus } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { WRITE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import { ResourceList } from '@/list/resource-list';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { sourcesResource } from '../resource';

export default function SourcesPage() {
  const { t } = useTranslation('sources');
  const { hasRole } = useAuth();
  const create = hasRole(WRITE_ROLES) && (
    <Button asChild variant="primary" icon={Plus}>
      <Link to={routes.newSource()}>{t('create')}</Link>
    </Button>
  );
  return (
    <PageFrame fill>
      <ResourceList resource={sourcesResource} action={create} emptyAction={create} />
    </PageFrame>
  );
}

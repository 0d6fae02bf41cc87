import { Navigate } from 'react-router';
import { LOGO_SETTING_ID } from '@/domain/logo-value';
import { routes, useRouteParams } from '@/routing/routes';
import { SettingView } from './setting-view';
import { ADMIN_SYSTEM_SETTINGS } from './settings-list';

export default function AdminSystemSettingPage() {
  const { settingsId } = useRouteParams('adminSystemSetting');
  // The logo has its own page instead of a JSON editor.
  if (settingsId === LOGO_SETTING_ID) return <Navigate replace to={routes.editLogo()} />;
  return (
    <SettingView
      key={settingsId}
      id={settingsId}
      list={{ name: ADMIN_SYSTEM_SETTINGS, address: routes.adminSystemSettings() }}
    />
  );
}

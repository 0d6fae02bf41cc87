//! What mails say. Plain text, so that it reads the same everywhere and nothing in it can be more than
//! text.

use chrono::Duration;

/// A mail before it is addressed.
#[derive(Clone, PartialEq, Eq)]
pub struct Text {
    pub subject: String,
    /// May hold a link that works: never to be logged.
    pub body: String,
}

/// Somebody asked for a new password and is, we hope, the one who has the mailbox.
pub fn forgot(organization: &str, name: &str, link: &str, life: Duration) -> Text {
    Text {
        subject: format!("Choose a new password for {organization}"),
        body: format!(
            "Hello {name},\n\
             \n\
             somebody, probably you, asked for a new password at {organization}. Choose it here:\n\
             \n\
             {link}\n\
             \n\
             The link works once, within {}. If it was not you who asked, you need not do\n\
             anything: your password stays as it is.\n",
            in_words(life)
        ),
    }
}

/// An account was made for somebody, who is to choose the first password.
pub fn invitation(organization: &str, name: &str, username: &str, link: &str, life: Duration) -> Text {
    Text {
        subject: format!("Your account at {organization}"),
        body: format!(
            "Hello {name},\n\
             \n\
             an account was made for you at {organization}. Your username is {username}.\n\
             Choose your password here:\n\
             \n\
             {link}\n\
             \n\
             The link works once, within {}. If it has run out, ask for another one.\n",
            in_words(life)
        ),
    }
}

/// An admin made a link for somebody who has an account already.
pub fn from_admin(organization: &str, name: &str, link: &str, life: Duration) -> Text {
    Text {
        subject: format!("Choose a new password for {organization}"),
        body: format!(
            "Hello {name},\n\
             \n\
             an administrator of {organization} sends you this link. With it you can choose a new\n\
             password:\n\
             \n\
             {link}\n\
             \n\
             The link works once, within {}. Until you use it, your password stays as it is.\n",
            in_words(life)
        ),
    }
}

/// The password is another one now.
pub fn changed(organization: &str, name: &str) -> Text {
    Text {
        subject: format!("Your password for {organization} was changed"),
        body: format!(
            "Hello {name},\n\
             \n\
             your password for {organization} was changed just now. If it was you, all is well.\n\
             \n\
             If it was not, tell an administrator of {organization} at once.\n"
        ),
    }
}

fn in_words(life: Duration) -> String {
    match (life.num_hours(), life.num_minutes()) {
        (1, _) => "an hour".to_owned(),
        (hours, _) if hours > 1 => format!("{hours} hours"),
        (_, 1) => "a minute".to_owned(),
        (_, minutes) => format!("{minutes} minutes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lives_in_words() {
        for (seconds, words) in [
            (60, "a minute"),
            (600, "10 minutes"),
            (3600, "an hour"),
            (5400, "an hour"),
            (86_400, "24 hours"),
        ] {
            assert_eq!(in_words(Duration::seconds(seconds)), words);
        }
    }

    #[test]
    fn every_link_stands_on_a_line_of_its_own() {
        let (link, life) = ("https://waybill.example/reset-password?resetToken=abc", Duration::minutes(10));
        for text in [
            forgot("Isla", "Maria", link, life),
            invitation("Isla", "Maria", "maria", link, life),
            from_admin("Isla", "Maria", link, life),
        ] {
            assert!(text.body.lines().any(|line| line == link));
            assert!(text.body.starts_with("Hello Maria,\n") && text.body.contains("Isla"));
            assert!(text.body.contains("works once, within 10 minutes"));
            assert!(text.body.lines().all(|line| line.len() <= 90));
        }
    }
}

//! Chromium, driven through WebDriver. With `WATCHCLOCK_SCREENSHOTS=DIR` it also keeps pictures of what it saw.

use std::{path::PathBuf, process::Stdio, time::Duration};

use serde_json::json;
use thirtyfour::{
    By, ChromiumLikeCapabilities as _, DesiredCapabilities, Key, WebDriver, WebElement,
    prelude::ElementQueryable as _,
};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
};

/// How long a page may take to show what is waited for.
const PATIENCE: Duration = Duration::from_secs(15);

/// Keeps what a page does wrong, over all pages of the tab.
const LISTEN: &str = "
    const keep = (text) => { sessionStorage.complaints = (sessionStorage.complaints || '') + text + '\\n'; };
    addEventListener('securitypolicyviolation', (e) => keep(`${e.violatedDirective} blocked ${e.blockedURI} ${e.sourceFile}`));
    addEventListener('error', (e) => keep(`${e.message} ${e.filename}:${e.lineno}`));";

/// Selects that are seen and have an option that is wider than they show.
const CUT_OPTIONS: &str = "
    const pen = document.createElement('canvas').getContext('2d');
    return [...document.querySelectorAll('select')].filter((select) => select.checkVisibility()).flatMap((select) => {
        const style = getComputedStyle(select);
        pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
        const room = select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 16;
        return [...select.options].filter((option) => pen.measureText(option.text).width > room)
            .map((option) => `${select.name}: ${option.text} (${pen.measureText(option.text).width} in ${room})`);
    });";

pub(crate) struct Browser {
    driver: WebDriver,
    _chromedriver: Child,
    _folder: tempfile::TempDir,
    pictures: Option<PathBuf>,
}

impl Browser {
    pub(crate) async fn start() -> Self {
        // Chromium leaves folders of its own beside its profile when it is ended.
        let folder = tempfile::tempdir().unwrap();
        let mut chromedriver = Command::new("chromedriver")
            .arg("--port=0")
            .env("TMPDIR", folder.path())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("chromedriver is installed; `make test` installs it");
        let mut lines = BufReader::new(chromedriver.stdout.take().unwrap()).lines();
        let port = loop {
            let line = lines.next_line().await.unwrap().expect("chromedriver tells its port");
            if let Some((_, port)) = line.split_once("started successfully on port ") {
                break port.trim_end_matches('.').to_owned();
            }
        };
        let mut capabilities = DesiredCapabilities::chrome();
        for argument in [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--no-first-run",
        ] {
            capabilities.add_arg(argument).unwrap();
        }
        let profile = folder.path().join("profile");
        capabilities.add_arg(&format!("--user-data-dir={}", profile.display())).unwrap();
        let driver = WebDriver::new(format!("http://127.0.0.1:{port}"), capabilities).await.unwrap();
        let pictures = std::env::var_os("WATCHCLOCK_SCREENSHOTS").map(PathBuf::from);
        let browser = Self { driver, _chromedriver: chromedriver, _folder: folder, pictures };
        let listen = json!({ "source": LISTEN });
        let tools = browser.driver.cdp();
        tools.send_raw("Page.addScriptToEvaluateOnNewDocument", listen).await.unwrap();
        browser.look_like(1280, 900, "light").await;
        browser
    }

    pub(crate) async fn open(&self, url: &str) {
        self.driver.goto(url).await.unwrap();
    }

    pub(crate) async fn url(&self) -> String {
        self.driver.current_url().await.unwrap().to_string()
    }

    /// The element, as soon as it is there.
    pub(crate) async fn find(&self, css: &str) -> WebElement {
        let query = self.driver.query(By::Css(css)).wait(PATIENCE, Duration::from_millis(50));
        match query.first().await {
            Ok(element) => element,
            Err(error) => panic!("no {css} at {}: {error}\n{}", self.url().await, self.text().await),
        }
    }

    pub(crate) async fn click(&self, css: &str) {
        let element = self.find(css).await;
        element.scroll_into_view().await.unwrap();
        element.click().await.unwrap_or_else(|error| panic!("{css} cannot be clicked: {error}"));
    }

    /// Clicks the link or button that says so; not the one out of sight that the Enter key presses.
    pub(crate) async fn press(&self, words: &str) {
        let xpath = format!("(//a|//button)[normalize-space(.)={words:?} and not(@aria-hidden)]");
        self.press_at(&xpath, words).await;
    }

    /// Opens or closes what a summary that begins so stands for.
    pub(crate) async fn press_summary(&self, words: &str) {
        self.press_at(&format!("//summary[starts-with(normalize-space(.), {words:?})]"), words).await;
    }

    async fn press_at(&self, xpath: &str, words: &str) {
        let query = self.driver.query(By::XPath(xpath)).wait(PATIENCE, Duration::from_millis(50));
        let element = match query.first().await {
            Ok(element) => element,
            Err(error) => {
                panic!(
                    "nothing to press says {words:?} at {}: {error}\n{}",
                    self.url().await,
                    self.text().await
                )
            }
        };
        element.scroll_into_view().await.unwrap();
        element.click().await.unwrap();
    }

    /// Types into a field by its name, in place of what is there.
    pub(crate) async fn fill(&self, name: &str, text: &str) {
        let field = self.find(&format!("[name={name:?}]")).await;
        field.clear().await.unwrap();
        field.send_keys(text).await.unwrap_or_else(|error| panic!("{name} takes no text: {error}"));
    }

    /// Presses keys in a field, after what is there: `down`, `enter`, `tab`, `escape`, or text.
    pub(crate) async fn keys(&self, name: &str, keys: &[&str]) {
        let field = self.find(&format!("[name={name:?}]")).await;
        for key in keys {
            let typed = match *key {
                "down" => field.send_keys(Key::Down + "").await,
                "enter" => field.send_keys(Key::Enter + "").await,
                "tab" => field.send_keys(Key::Tab + "").await,
                "escape" => field.send_keys(Key::Escape + "").await,
                text => field.send_keys(text).await,
            };
            typed.unwrap_or_else(|error| panic!("{name} takes no {key}: {error}"));
        }
    }

    /// How many elements there are.
    pub(crate) async fn count(&self, css: &str) -> usize {
        self.driver.find_all(By::Css(css)).await.unwrap().len()
    }

    /// All that the page says.
    pub(crate) async fn text(&self) -> String {
        match self.driver.find(By::Tag("body")).await {
            Ok(body) => body.text().await.unwrap_or_default(),
            Err(error) => format!("(no page: {error})"),
        }
    }

    /// Waits until the page, or what `css` names in it, says so.
    pub(crate) async fn expect(&self, css: &str, words: &str) {
        let until = tokio::time::Instant::now() + PATIENCE;
        let mut said = String::new();
        while tokio::time::Instant::now() < until {
            if let Ok(element) = self.driver.find(By::Css(css)).await {
                said = element.text().await.unwrap_or_default();
                if said.to_lowercase().contains(&words.to_lowercase()) {
                    return;
                }
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{css} at {} does not say {words:?}, but:\n{said}", self.url().await);
    }

    /// How tall an element is on a phone, in pixels.
    pub(crate) async fn height_on_a_phone(&self, css: &str) -> f64 {
        self.look_like(390, 900, "light").await;
        let height = self.find(css).await.rect().await.unwrap().height;
        self.look_like(1280, 900, "light").await;
        height
    }

    /// What the browser complained about: errors of scripts, and whatever the content security policy blocked.
    pub(crate) async fn complaints(&self) -> Vec<String> {
        let script = "return sessionStorage.complaints || ''";
        let said: String = self.driver.execute(script, vec![]).await.unwrap().convert().unwrap();
        said.lines().map(str::to_owned).collect()
    }

    async fn look_like(&self, width: u32, height: u32, theme: &str) {
        let metrics =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        let tools = self.driver.cdp();
        tools.send_raw("Emulation.setDeviceMetricsOverride", metrics).await.unwrap();
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": theme }] });
        tools.send_raw("Emulation.setEmulatedMedia", media).await.unwrap();
    }

    /// The page does not scroll sideways on a phone; keeps pictures of it in both themes and widths.
    pub(crate) async fn look(&self, name: &str) {
        for (width, theme) in [(390, "light"), (390, "dark"), (1280, "dark"), (1280, "light")] {
            self.look_like(width, 900, theme).await;
            let wide =
                self.driver.execute("return document.documentElement.scrollWidth", vec![]).await.unwrap();
            let wide: u32 = wide.convert().unwrap();
            assert!(wide <= width, "{name} is {wide} px wide on a screen of {width} px");
            let cut = self.driver.execute(CUT_OPTIONS, vec![]).await.unwrap();
            let cut: Vec<String> = cut.convert().unwrap();
            assert_eq!(cut, Vec::<String>::new(), "options of {name} are cut on a screen of {width} px");
            if let Some(folder) = &self.pictures {
                let tall = self
                    .driver
                    .execute("return document.documentElement.scrollHeight", vec![])
                    .await
                    .unwrap();
                self.look_like(width, tall.convert::<u32>().unwrap().clamp(400, 4_000), theme).await;
                let picture = self.driver.screenshot_as_png().await.unwrap();
                std::fs::create_dir_all(folder).unwrap();
                std::fs::write(folder.join(format!("{name}-{width}-{theme}.png")), picture).unwrap();
            }
        }
        self.look_like(1280, 900, "light").await;
    }

    pub(crate) async fn quit(self) {
        self.driver.quit().await.unwrap();
    }
}

//! The MCP server that agents see.

use crate::door::Code;
use crate::mcp::audience::Audience;
use crate::mcp::caller::{Asking, Behind, is_modern};
use crate::mcp::logs::Level;
use crate::mcp::surface::Surface;
use crate::mcp::{answer, arguments, direct, execute, tools};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, DiscoverResult,
    ErrorCode, GetPromptRequestParams, GetPromptResponse, InitializeRequestParams,
    InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ServerConfig, SubscriptionFilter, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

/// What is spoken over HTTP.
const OVER_HTTP: &[ProtocolVersion] = &[
    ProtocolVersion::V_2025_03_26,
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];

#[expect(deprecated, reason = "logging goes, but not before 2027")]
use rmcp::model::SetLevelRequestParams;
/// Milliseconds for which a client may keep the list of tools: it changes with the hub's own
/// version only.
const TOOLS_FRESH_MS: u64 = 5 * 60_000;

/// One per request (stateless) or per session (older clients, pipes).
#[derive(Clone)]
pub struct AgentServer {
    surface: Surface,
    audience: Audience,
    pipe: Option<Behind>,
    /// What the client of an older session wants to hear of.
    level: Arc<Mutex<Level>>,
}

impl AgentServer {
    /// For HTTP: who asks stands in each request.
    pub fn over_http(surface: Surface, audience: Audience) -> Self {
        Self { surface, audience, pipe: None, level: Arc::new(Mutex::new(Level::UNSAID)) }
    }

    /// For a pipe: who asks was said once.
    pub fn over_pipe(surface: Surface, audience: Audience, behind: Behind) -> Self {
        Self { pipe: Some(behind), ..Self::over_http(surface, audience) }
    }

    fn asking(&self, context: &RequestContext<RoleServer>) -> Result<Asking, ErrorData> {
        Asking::read(self.pipe.as_ref(), context)
    }

    fn instructions(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<Option<String>, ErrorData> {
        let text = self.surface.door().instructions(&self.asking(context)?.caller());
        Ok(Some(text).filter(|text| !text.is_empty()))
    }

    /// What this request wants to hear of: a stateless one says so itself.
    fn level(&self, context: &RequestContext<RoleServer>) -> Option<Level> {
        match is_modern(context) {
            true => context.meta.log_level().and_then(|level| Level::read(&level)),
            false => Some(*self.level.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    async fn call_code(
        &self,
        code: &dyn Code,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let asking = self.asking(context)?;
        let modern = is_modern(context);
        match request.name.as_ref() {
            tools::SEARCH => {
                let (query, namespace) = arguments::search(request.arguments)?;
                let caller = asking.caller();
                answer::text(code.search(&caller, &query, namespace.as_deref()).await, modern)
            }
            tools::DESCRIBE => {
                let targets = arguments::describe(request.arguments)?;
                let caller = asking.caller();
                answer::text(code.describe(&caller, &targets).await, modern)
            }
            tools::EXECUTE => execute::execute(code, &asking, request, context).await,
            _ => Err(arguments::invalid(
                "no such tool; this server has search, describe and execute, and the tools that \
                 search finds are called from the code given to execute",
            )),
        }
    }
}

impl ServerHandler for AgentServer {
    fn get_info(&self) -> ServerConfig {
        self.surface.config()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        let all = if self.pipe.is_some() { ProtocolVersion::KNOWN_VERSIONS } else { OVER_HTTP };
        Cow::Borrowed(all)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let instructions = self.instructions(&context)?;
        let mut result = self.negotiate_initialize(&request)?;
        context.peer.set_peer_info(request);
        result.instructions = instructions;
        Ok(result)
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let mut result = DiscoverResult::from_server_info(versions, self.get_info());
        result.instructions = self.instructions(&context)?;
        Ok(result)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        first_page(request)?;
        let mut result = ListToolsResult::with_all_items(self.surface.tools());
        let modern = is_modern(&context);
        result.meta = answer::meta(modern);
        if modern {
            result = result
                .with_ttl_ms(TOOLS_FRESH_MS)
                .with_cache_scope(rmcp::model::CacheScope::Private);
        }
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.surface.tool(name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(pipe) = &self.pipe
            && !self.surface.door().opens(&pipe.key.id).await.unwrap_or(false)
        {
            return Err(ErrorData::invalid_request("this key opens nothing any more", None));
        }
        match &self.surface {
            Surface::Code(code) => self.call_code(code.as_ref(), request, &context).await,
            Surface::Direct(direct) => {
                let (asking, level) = (self.asking(&context)?, self.level(&context));
                direct::call(direct.as_ref(), &asking, level, request, &context).await
            }
        }
    }

    #[expect(deprecated, reason = "logging goes, but not before 2027")]
    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if let (Surface::Direct(_), Some(level)) = (&self.surface, Level::read(&request.level)) {
            *self.level.lock().unwrap_or_else(PoisonError::into_inner) = level;
            return Ok(());
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "this server sends no logs", None))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.audience.joins(context.peer);
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        first_page(request)?;
        Ok(ListPromptsResult { meta: answer::meta(is_modern(&context)), ..Default::default() })
    }

    async fn get_prompt(
        &self,
        _request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Err(arguments::invalid("no such prompt; this server has none"))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        first_page(request)?;
        Ok(ListResourcesResult { meta: answer::meta(is_modern(&context)), ..Default::default() })
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        first_page(request)?;
        let meta = answer::meta(is_modern(&context));
        Ok(ListResourceTemplatesResult { meta, ..Default::default() })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let data = serde_json::json!({ "uri": request.uri });
        Err(ErrorData::resource_not_found("no such resource; this server has none", Some(data)))
    }

    /// The SDK narrows this to what is declared, and acknowledges the rest away.
    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    /// Tells a stateless agent of changes for as long as it listens.
    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let Surface::Direct(direct) = &self.surface else {
            context.cancelled().await;
            return Ok(());
        };
        let mut changes = direct.changes();
        let tools = context.accepted().tools_list_changed == Some(true);
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = changes.changed(), if tools => {
                    let told = context.sink().notify_tool_list_changed();
                    if changed.is_err() || told.await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// The SDK takes a request of a known method with a wrong shape for one of a method that it
    /// does not know.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest { method, .. } = request;
        if is_known(&method) {
            return Err(arguments::invalid("the params do not fit the method"));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "no such method", None))
    }
}

/// Our lists have one page, so a cursor never comes from us.
fn first_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|page| page.cursor) {
        Some(_) => Err(arguments::invalid("no such cursor; the list has one page")),
        None => Ok(()),
    }
}

/// Whether this server has the method: then only the params can be wrong.
fn is_known(method: &str) -> bool {
    const KNOWN: &[&str] = &[
        "server/discover",
        "prompts/get",
        "prompts/list",
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "subscriptions/listen",
        "tools/call",
        "tools/list",
    ];
    KNOWN.contains(&method)
}

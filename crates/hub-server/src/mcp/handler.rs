//! The MCP server that agents see.

use crate::door::Door;
use crate::mcp::caller::{Asking, Behind, is_modern};
use crate::mcp::{answer, arguments, execute, tools};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, DiscoverResult,
    ErrorCode, GetPromptRequestParams, GetPromptResponse, InitializeRequestParams,
    InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::borrow::Cow;
use std::sync::Arc;

/// What is spoken over HTTP.
const OVER_HTTP: &[ProtocolVersion] = &[
    ProtocolVersion::V_2025_03_26,
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];

/// Milliseconds for which a client may keep the list of tools: it changes with the hub's own
/// version only.
const TOOLS_FRESH_MS: u64 = 5 * 60_000;

/// One per request (stateless) or per session (older clients, pipes).
#[derive(Clone)]
pub struct AgentServer {
    door: Arc<dyn Door>,
    pipe: Option<Behind>,
}

impl AgentServer {
    /// For HTTP: who asks stands in each request.
    pub fn over_http(door: Arc<dyn Door>) -> Self {
        Self { door, pipe: None }
    }

    /// For a pipe: who asks was said once.
    pub fn over_pipe(door: Arc<dyn Door>, behind: Behind) -> Self {
        Self { door, pipe: Some(behind) }
    }

    fn asking(&self, context: &RequestContext<RoleServer>) -> Result<Asking, ErrorData> {
        Asking::read(self.pipe.as_ref(), context)
    }

    fn instructions(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<Option<String>, ErrorData> {
        let text = self.door.instructions(&self.asking(context)?.caller());
        Ok(Some(text).filter(|text| !text.is_empty()))
    }
}

impl ServerHandler for AgentServer {
    fn get_info(&self) -> ServerConfig {
        // The list of tools never changes while the hub runs, so no change is announced.
        // Prompts and resources are empty, but clients ask for them all the same.
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_prompts().enable_resources();
        ServerConfig::new(capabilities.build()).with_server_info(answer::server_info())
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
        let mut result = ListToolsResult::with_all_items(tools::all().to_vec());
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
        tools::named(name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let asking = self.asking(&context)?;
        if let Some(pipe) = &self.pipe
            && !self.door.opens(&pipe.key.id).await.unwrap_or(false)
        {
            return Err(ErrorData::invalid_request("this key opens nothing any more", None));
        }
        let modern = is_modern(&context);
        match request.name.as_ref() {
            tools::SEARCH => {
                let (query, namespace) = arguments::search(request.arguments)?;
                let caller = asking.caller();
                let answer = self.door.search(&caller, &query, namespace.as_deref()).await;
                answer::text(answer, modern)
            }
            tools::DESCRIBE => {
                let targets = arguments::describe(request.arguments)?;
                let caller = asking.caller();
                answer::text(self.door.describe(&caller, &targets).await, modern)
            }
            tools::EXECUTE => {
                execute::execute(self.door.as_ref(), &asking, request, &context).await
            }
            _ => Err(arguments::invalid(
                "no such tool; this server has search, describe and execute, and the tools that \
                 search finds are called from the code given to execute",
            )),
        }
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

    /// Nothing is ever announced on a subscription as long as no list can change; the SDK
    /// narrows this to what is declared, and acknowledges the rest away.
    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
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
